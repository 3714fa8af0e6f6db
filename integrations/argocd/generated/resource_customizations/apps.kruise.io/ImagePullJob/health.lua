-- Generated from integrations/argocd/source/health/ImagePullJob.lua by `npm run generate`. Do not edit.

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

-- Returns the text at a path of the object, "" when there is none.
local function text(...)
  local value = member(obj, ...)
  if type(value) == "string" then return value end
  return ""
end

-- Returns a verdict while the object is deleted, or has no status. For kinds without status.observedGeneration.
local function unstarted()
  return firstOf(
    when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
    when(member(obj, "status") == nil, "Progressing", "The controller has not read the object yet")
  )
end

local desired = count(0, "status", "desired")
local succeeded = count(0, "status", "succeeded")
local failed = count(0, "status", "failed")
local isOver = text("status", "completionTime") ~= ""
local isLasting = text("spec", "completionPolicy", "type") == "Never"
local numbers = "The image is on " .. succeeded .. " of " .. desired .. " nodes, " .. failed .. " failed"
local isDone = isOver or (isLasting and succeeded + failed >= desired)
return firstOf(
  unstarted(),
  when(isDone and failed > 0, "Degraded", numbers .. ". " .. text("status", "message")),
  when(isDone, "Healthy", numbers),
  verdict("Progressing", numbers)
)
