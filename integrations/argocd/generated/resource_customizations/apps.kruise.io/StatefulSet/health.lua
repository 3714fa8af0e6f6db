-- Generated from integrations/argocd/source/health/StatefulSet.lua by `npm run generate`. Do not edit.

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

local desired = count(1, "spec", "replicas")
local partition = member(obj, "spec", "updateStrategy", "rollingUpdate", "partition")
local expected = desired - partitioned(partition, desired)
-- Claims follow their templates with this strategy only. v1alpha1 does not show them.
local withClaims = expected
if text("spec", "volumeClaimUpdateStrategy", "type") == "OnPodRollingUpdate" then
  for _, one in ipairs(list("status", "volumeClaims")) do
    if one.compatibleReplicas < withClaims then withClaims = one.compatibleReplicas end
  end
end
-- These conditions may stay after a call that failed once, so they count while Pods are missing.
local current = rollout({
  desired = desired,
  needed = desired,
  total = count(0, "status", "replicas"),
  available = count(0, "status", "availableReplicas"),
  updated = count(0, "status", "updatedReplicas"),
  expected = expected,
  isOnDelete = text("spec", "updateStrategy", "type") == "OnDelete",
})
return firstOf(
  unobserved(),
  fault(),
  suspended("spec", "updateStrategy", "rollingUpdate", "paused"),
  current.status == "Progressing" and failure("FailedCreatePod", "FailedUpdatePod") or nil,
  waiting(),
  when(withClaims < expected, "Progressing", withClaims .. " of " .. expected .. " Pods have the claims of the templates"),
  current
)
