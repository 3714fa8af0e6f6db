-- Both versions: v1alpha1 has `paused` and `partition` in updateStrategy, v1beta1 in updateStrategy.rollingUpdate.
local desired = count(1, "spec", "replicas")
local updated = count(0, "status", "updatedReplicas")
local strategy = member(obj, "spec", "updateStrategy") or {}
local rolling = member(strategy, "rollingUpdate") or {}
local partition = firstOf(rolling.partition, strategy.partition, 0)
local expected = member(obj, "status", "expectedUpdatedReplicas")
if type(expected) ~= "number" then expected = desired - partitioned(partition, desired) end
local isPaused = strategy.paused == true or rolling.paused == true
local isOnDelete = strategy.type == "OnDelete"
local deadline = nil
for _, one in ipairs(list("status", "conditions")) do
  if one.type == "Progressing" and one.status == "False" then deadline = verdict("Degraded", explained(one)) end
end
-- The original leaves these conditions after a call that failed once, so they count while Pods are missing.
local current = rollout({
  desired = desired,
  needed = desired,
  total = count(0, "status", "replicas"),
  available = count(0, "status", "availableReplicas"),
  updated = updated,
  expected = expected,
  isOnDelete = isOnDelete,
})
return firstOf(
  unobserved(),
  fault(),
  deadline,
  when(isPaused and not isOnDelete, "Suspended", "The object is paused"),
  current.status == "Progressing" and failure("FailedScale", "FailedUpdate") or nil,
  waiting(),
  current
)
