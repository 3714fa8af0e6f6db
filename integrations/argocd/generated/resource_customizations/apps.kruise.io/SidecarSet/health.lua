-- Generated from integrations/argocd/source/health/SidecarSet.lua by `npm run generate`. Do not edit.

-- Returns a verdict as Argo CD reads it.
local function verdict(status, message)
  local hs = {}
  hs.status = status
  hs.message = message
  return hs
end

-- Returns a verdict when the condition holds, otherwise nil.
local function when(holds, status, message)
  if holds then return verdict(status, message) end
  return nil
end

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

-- Returns the number at a path of the object, `default` when there is none.
local function count(default, ...)
  local value = member(obj, ...)
  if type(value) == "number" then return value end
  return default
end

-- Returns a verdict while the object is deleted, or the controller has not read its latest spec.
local function unobserved()
  local generation = count(0, "metadata", "generation")
  return firstOf(
    when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
    when(member(obj, "status") == nil, "Progressing", "The controller has not read the object yet"),
    when(count(0, "status", "observedGeneration") < generation, "Progressing", "The controller has not read the latest spec yet")
  )
end

-- Returns Suspended while the member at a path is true.
local function suspended(...)
  return when(member(obj, ...) == true, "Suspended", "The object is paused")
end

-- Returns how many of `total` an integer or a percentage is, at most `total`. Without the library `string`, percentages are compared as texts.
local function scaled(value, total, roundsUp)
  local result = 0
  if type(value) == "number" then result = value end
  for percent = 0, 100 do
    if value == percent .. "%" then
      local rest = (percent * total) % 100
      result = (percent * total - rest) / 100
      if roundsUp and rest > 0 then result = result + 1 end
    end
  end
  if result > total then return total end
  if result < 0 then return 0 end
  return result
end

-- Returns how many of `total` Pods a partition keeps at older revisions. A percentage below 100 % leaves at least one Pod to update.
local function partitioned(value, total)
  local kept = scaled(value, total, true)
  if total > 1 and kept == total and type(value) == "string" and value ~= "100%" then return total - 1 end
  return kept
end

local matched = count(0, "status", "matchedPods")
local updated = count(0, "status", "updatedPods")
local ready = count(0, "status", "updatedReadyPods")
local strategy = member(obj, "spec", "updateStrategy") or {}
local expected = matched - partitioned(strategy.partition, matched)
if strategy.type == "NotUpdate" then expected = 0 end
local message = updated .. " of " .. matched .. " Pods have the latest version"
return firstOf(
  unobserved(),
  suspended("spec", "updateStrategy", "paused"),
  when(strategy.selector ~= nil and updated < expected, "Suspended", message .. ", as a selector names those to update"),
  when(updated < expected, "Progressing", message),
  when(ready < updated, "Progressing", ready .. " of " .. updated .. " updated Pods are ready"),
  when(updated < matched and strategy.type == "NotUpdate", "Healthy", message .. ", new Pods get it"),
  when(updated < matched, "Suspended", "The partition is reached: " .. message),
  verdict("Healthy", message)
)
