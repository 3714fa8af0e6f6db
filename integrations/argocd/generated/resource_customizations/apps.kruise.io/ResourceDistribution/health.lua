-- Generated from integrations/argocd/source/health/ResourceDistribution.lua by `npm run generate`. Do not edit.

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

-- Returns the items of the list at a path of the object.
local function list(...)
  local value = member(obj, ...)
  if type(value) == "table" then return value end
  return {}
end

-- Returns the condition of a type when its status is "True".
local function trueCondition(kind)
  for _, one in ipairs(list("status", "conditions")) do
    if one.type == kind and one.status == "True" then return one end
  end
  return nil
end

-- Returns a text that names the reason and the message of a condition.
local function explained(condition)
  local reason = condition.reason or ""
  local message = condition.message or ""
  if reason == "" then reason = condition.type or "" end
  if message == "" then return reason end
  return reason .. ": " .. message
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

local desired = count(0, "status", "desired")
local succeeded = count(0, "status", "succeeded")
local failed = count(0, "status", "failed")
local numbers = "The resource is in " .. succeeded .. " of " .. desired .. " namespaces"
local problem = firstOf(
  trueCondition("GetResourceFailed"),
  trueCondition("ConflictOccurred"),
  trueCondition("NamespaceNotExists"),
  trueCondition("CreateResourceFailed"),
  trueCondition("UpdateResourceFailed"),
  trueCondition("DeleteResourceFailed")
)
return firstOf(
  unobserved(),
  when(problem ~= nil, "Degraded", numbers .. ". " .. explained(problem or {})),
  when(failed > 0, "Degraded", numbers),
  when(succeeded < desired, "Progressing", numbers),
  verdict("Healthy", numbers)
)
