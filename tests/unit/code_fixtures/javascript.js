/**
 * Weighs parcels.
 */
"use strict";

const os = require("os");
import { calibrate, Scale as Weigher } from "./scales.js";

export const MAX_WEIGHT = 30;
const API_KEY = "not-for-records";

/**
 * One thing to send.
 * @class
 */
export class Parcel extends Base {
  static UNIT = class Unit {
    plain() {}
  };

  get weight() {
    // FIXME: round up
    return calibrate(this.raw).kilos(os.cpus());
  }

  #secret() {}
}

export async function send(parcel) {
  await queue.push(parcel);
}

const żółć = (x) => send(x);

const table = {
  lookup(key) {
    return new Parcel(key);
  },
};

module.exports = function deliver(parcel) {
  function inner() {}
  return send(parcel);
};

describe("Parcel", () => {
  it("weighs little", async () => {
    expect(new Parcel().weight).toBe(1);
  });
});
