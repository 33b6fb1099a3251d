#!/usr/bin/env lua
--- Weighs parcels.
-- @module post.parcel

local scales = require("post.scales")
local ok, queue = pcall(require, "post.queue")

local MAX_WEIGHT = 30
local API_KEY = "not-for-records"

--- The module itself.
local M = { limit = 3, check = function(x) return x end }
M.VERSION = 2

--- One thing to send.
-- @type Parcel
local Parcel = setmetatable({}, { __index = scales.Scale })
Parcel.__index = Parcel

-- Where it goes.
Parcel.Label = class(scales.Label)

function Parcel.new(raw)
  return setmetatable({ raw = raw, key = API_KEY }, Parcel)
end

--[[
  Gives kilograms.
  @return number
]]
function Parcel:weigh(unit)
  -- TODO: round up
  local kilos = unit.of(self.raw)
  return math.floor(scales.calibrate(kilos):total())
end

function Parcel:_hide()
  print("hidden")
end

--[==[ FIXME: no address ]==]
function M.send(parcel)
  local function inner()
    return queue.push(parcel)
  end
  return inner()
end

M.deliver = function(parcel) M.send(parcel) end

local function żółć()
  return M.send(Parcel.new(1))
end

describe("Parcel", function()
  it("weighs little", function()
    assert.same(1, Parcel.new(1):weigh(scales))
  end)
end)

M.Parcel = Parcel
M.bitter = żółć
return M
