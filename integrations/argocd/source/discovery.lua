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
