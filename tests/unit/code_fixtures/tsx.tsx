import React from "react";
import { Frame } from "./frame";

export const MAX_ROWS = 12;
const TOKEN = "not-for-records";

type Props = { rows: number };

/** Shows parcels. */
export function Table({ rows }: Props) {
  const [open, setOpen] = React.useState(false);
  return (
    <Frame onClick={() => setOpen(true)}>
      {/* TODO: page */}
      <Row.Cell key={1} />
      <div>{format(rows)}</div>
    </Frame>
  );
}

class Żółć extends React.Component<Props> {
  render() {
    return <Table rows={1} />;
  }
}

namespace Parts {
  export interface Cell {
    width: number;
  }
}

it("shows rows", () => {
  render(<Table rows={2} />);
});
