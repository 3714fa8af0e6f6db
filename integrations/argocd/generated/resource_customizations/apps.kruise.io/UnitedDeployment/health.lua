-- Generated from integrations/argocd/source/health/UnitedDeployment.lua by `npm run generate`. Do not edit.

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

-- Returns how Argo CD shows a reason of the condition Blocked. What the user has set follows from the counters; what ends by itself is progress.
local function kindOfBlock(reason)
  local kinds = {
    Paused = "Setting",
    OnDelete = "Setting",
    PartitionReached = "Setting",
    UpdateLimited = "Limit",
    BudgetRefuses = "Wait",
    WaitingForHook = "Wait",
    WaitingForNames = "Wait",
    ScaleLimited = "Wait",
    ResizePending = "Wait",
    Unschedulable = "Wait",
    NotReady = "Wait",
    WorkloadUnknown = "Wait",
  }
  return kinds[reason or ""] or "Fault"
end

-- Returns the condition Blocked when its reason is of that kind.
local function blockOf(kind)
  local condition = trueCondition("Blocked")
  if condition ~= nil and kindOfBlock(condition.reason) == kind then return condition end
  return nil
end

-- Returns Degraded for a fault that the condition Blocked names.
local function fault()
  local condition = blockOf("Fault")
  if condition == nil then return nil end
  return verdict("Degraded", explained(condition))
end

-- Returns Degraded for conditions of these types whose status is "True".
local function failure(...)
  for _, kind in ipairs({ ... }) do
    local condition = trueCondition(kind)
    if condition ~= nil then return verdict("Degraded", explained(condition)) end
  end
  return nil
end

-- Returns a verdict for what the condition Blocked names and is no fault: a wait is progress, a limit of the user a suspension.
local function waiting()
  local limit = blockOf("Limit")
  if limit ~= nil then return verdict("Suspended", explained(limit)) end
  local wait = blockOf("Wait")
  if wait ~= nil then return verdict("Progressing", explained(wait)) end
  return nil
end

-- Returns a verdict about Pods that are replaced by those of a new revision. desired, total, available and updated are numbers of Pods, needed is how
-- many must be available, expected is how many are to be updated, isOnDelete says that users delete the Pods.
local function rollout(facts)
  local older = (facts.desired - facts.updated) .. " of " .. facts.desired .. " Pods keep older revisions"
  local available = facts.available .. " of " .. facts.needed .. " Pods are available"
  return firstOf(
    when(
      not facts.isOnDelete and facts.updated < facts.expected,
      "Progressing",
      facts.updated .. " of " .. facts.expected .. " Pods are updated"
    ),
    when(facts.total > facts.desired, "Progressing", facts.total .. " Pods exist, and " .. facts.desired .. " are wanted"),
    when(facts.available < facts.needed, "Progressing", available),
    when(facts.updated < facts.desired and facts.isOnDelete, "Suspended", older .. " until they are deleted"),
    when(facts.updated < facts.desired, "Suspended", "The partition is reached: " .. older),
    verdict("Healthy", available)
  )
end

local total = count(0, "status", "replicas")
local desired = count(total, "spec", "replicas")
local updated = count(0, "status", "updatedReplicas")
-- Each partition keeps Pods of its own subset. v1alpha1 has the sizes of subsets in subsetReplicas as well, and conversion prefers these.
local partitions = member(obj, "spec", "updateStrategy", "manualUpdate", "partitions") or {}
local sizes = member(obj, "status", "subsetReplicas") or {}
local current = member(obj, "status", "updateStatus", "currentPartitions") or {}
local kept = 0
for name, partition in pairs(partitions) do
  local size = sizes[name]
  for _, one in ipairs(list("status", "subsetStatuses")) do
    if one.name == name and size == nil then size = one.replicas or 0 end
  end
  if size == nil and current[name] ~= nil then size = 0 end
  if type(partition) == "number" and partition > 0 then
    if type(size) ~= "number" or partition < size then kept = kept + partition else kept = kept + size end
  end
end
local expected = desired - kept
if expected < 0 then expected = 0 end
local failed = nil
for _, one in ipairs(list("status", "conditions")) do
  local isSubset = one.type == "SubsetProvisioned" or one.type == "SubsetUpdated"
  if isSubset and one.status == "False" and failed == nil then failed = verdict("Degraded", explained(one)) end
end
return firstOf(
  unobserved(),
  fault(),
  failed,
  failure("SubsetFailure"),
  waiting(),
  rollout({
    desired = desired,
    needed = desired,
    total = total,
    available = count(0, "status", "readyReplicas"),
    updated = updated,
    expected = expected,
    isOnDelete = false,
  })
)
