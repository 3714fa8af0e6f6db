-- Generated from integrations/argocd/source/discovery.lua by `npm run generate`. Do not edit.

-- Returns the member at a path, nil when one of its parents is absent.
local function member(object, ...)
  local value = object
  for _, name in ipairs({ ... }) do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

-- Returns the text at a path of the object, "" when there is none.
local function text(...)
  local value = member(obj, ...)
  if type(value) == "string" then return value end
  return ""
end

-- Returns whether a partition keeps Pods at older revisions.
local function isKeeping(value)
  return value ~= nil and value ~= 0 and value ~= "0%" and value ~= "0"
end

local place = nil
local names = { "restart", "partition-step", "partition-full" }
local strategy = text("spec", "updateStrategy", "type")
local isManual = strategy == "OnDelete" or strategy == "NotUpdate"
local settings = {}
if place ~= nil then settings = member(obj, unpack(place)) or {} end
local isKept = isKeeping(settings.partition)
for _, partition in pairs(member(obj, "spec", "updateStrategy", "manualUpdate", "partitions") or {}) do
  if isKeeping(partition) then isKept = true end
end
local phase = text("status", "phase")
local isOver = text("status", "completionTime") ~= "" or phase == "failed" or phase == "Failed" or phase == "Error"
local disabled = {
  ["pause"] = settings.paused == true or isManual or isOver,
  ["resume"] = settings.paused ~= true,
  ["partition-step"] = isManual or not isKept,
  ["partition-full"] = isManual or not isKept,
  ["retry"] = not isOver,
}
local actions = {}
for _, name in ipairs(names) do
  actions[name] = { disabled = disabled[name] == true }
end
return actions
