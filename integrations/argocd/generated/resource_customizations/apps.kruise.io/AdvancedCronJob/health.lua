-- Generated from integrations/argocd/source/health/AdvancedCronJob.lua by `npm run generate`. Do not edit.

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

-- Returns the text at a path of the object, "" when there is none.
local function text(...)
  local value = member(obj, ...)
  if type(value) == "string" then return value end
  return ""
end

-- Returns the items of the list at a path of the object.
local function list(...)
  local value = member(obj, ...)
  if type(value) == "table" then return value end
  return {}
end

-- Returns Suspended while the member at a path is true.
local function suspended(...)
  return when(member(obj, ...) == true, "Suspended", "The object is paused")
end

local active = 0
for _ in ipairs(list("status", "active")) do
  active = active + 1
end
local last = text("status", "lastScheduleTime")
return firstOf(
  when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
  suspended("spec", "paused"),
  when(member(obj, "status") == nil, "Progressing", "The controller has not read the object yet"),
  when(active > 0, "Healthy", "Running jobs: " .. active),
  when(last == "", "Healthy", "No job has been scheduled yet"),
  verdict("Healthy", "The last job was scheduled at " .. last)
)
