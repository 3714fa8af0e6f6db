-- Generated from integrations/argocd/source/actions/partition-step.lua by `npm run generate`. Do not edit.

-- Returns the first argument that is not nil.
local function firstOf(...)
  for index = 1, select("#", ...) do
    local value = (select(index, ...))
    if value ~= nil then return value end
  end
  return nil
end

-- Returns the member at a path, nil when one of its parents is absent.
local function member(object, ...)
  local value = object
  for _, name in ipairs({ ... }) do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

-- Returns a table of the object, which is created when it is absent.
local function tableAt(...)
  local value = obj
  for _, name in ipairs({ ... }) do
    if type(value[name]) ~= "table" then value[name] = {} end
    value = value[name]
  end
  return value
end

-- Returns how many Pods, or percent, a step of a partition covers: a tenth of the Pods, at least one.
local function stepOf(total)
  local rest = total % 10
  local step = (total - rest) / 10
  if rest > 0 then step = step + 1 end
  if step < 1 then return 1 end
  return step
end

-- Returns a partition that is lower by one step.
local function lowered(value, total)
  if type(value) == "number" then
    local next = value - stepOf(total)
    if value > total then next = total - stepOf(total) end
    if next < 0 then return 0 end
    return next
  end
  for percent = 1, 100 do
    if value == percent .. "%" then
      if percent <= 10 then return "0%" end
      return (percent - 10) .. "%"
    end
  end
  return value
end

local place = { "spec", "updateStrategy" }
local total = firstOf(
  member(obj, "spec", "replicas"),
  member(obj, "status", "desiredNumberScheduled"),
  member(obj, "status", "matchedPods"),
  1
)
local settings = tableAt(unpack(place))
settings.partition = lowered(settings.partition, total)
return obj
