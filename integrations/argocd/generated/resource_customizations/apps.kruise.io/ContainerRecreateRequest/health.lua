-- Generated from integrations/argocd/source/health/ContainerRecreateRequest.lua by `npm run generate`. Do not edit.

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

-- Returns a verdict while the object is deleted, or has no status. For kinds without status.observedGeneration.
local function unstarted()
  return firstOf(
    when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
    when(member(obj, "status") == nil, "Progressing", "The controller has not read the object yet")
  )
end

local phase = text("status", "phase")
local failed = nil
for _, one in ipairs(list("status", "containerRecreateStates")) do
  if one.phase == "Failed" and failed == nil then failed = "Container " .. (one.name or "") .. " failed: " .. (one.message or "") end
end
local isOver = phase == "Completed" or phase == "Failed" or phase == "Succeeded"
local pending = 0
for _, one in ipairs(list("status", "containerRecreateStates")) do
  if one.phase == "Pending" or one.phase == "Recreating" then pending = pending + 1 end
end
return firstOf(
  unstarted(),
  when(isOver and failed ~= nil, "Degraded", failed),
  when(phase == "Failed", "Degraded", "The request failed: " .. text("status", "message")),
  when(isOver and pending > 0, "Degraded", "The request ended before every container was recreated: " .. text("status", "message")),
  when(isOver and member(obj, "status", "containerRecreateStates") == nil, "Degraded", "No container was recreated: " .. text("status", "message")),
  when(isOver, "Healthy", "The containers are recreated"),
  verdict("Progressing", "The containers are being recreated")
)
