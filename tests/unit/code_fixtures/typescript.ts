// Copyright the authors
import fs, { type Stats } from "node:fs";
import type { Scale } from "../scales";
export * from "./labels.js";

export const MAX_WEIGHT: number = 30;
const API_KEY: string = "not-for-records";

/** One thing to send. */
@Injectable({ scope: "x" })
export class Parcel<T> extends Base<T> implements Sendable, Other {
  static readonly UNIT = 1;

  private raw = 1;

  weigh(by: string): number;
  weigh(by: any): number {
    return calibrate<string>(by)?.kilos(fs.statSync("x"));
  }

  private hide(): void {} // TODO: remove

  @Input()
  onSend = async (event: Event) => {
    emit(event);
  };
}

export interface Sendable {
  send(to: string): void;
}

export namespace Post {
  export enum Kind {
    Letter,
  }
}

type Address = string;

export function żółć(x: Address): asserts x is Address {
  send(x);
}

test.each([1])("weighs %s", (n) => {
  expect(n);
});
