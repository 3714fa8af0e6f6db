local desired = count(0, "status", "desiredNumberScheduled")
local scheduled = count(0, "status", "currentNumberScheduled")
local updated = count(0, "status", "updatedNumberScheduled")
local partition = member(obj, "spec", "updateStrategy", "rollingUpdate", "partition")
local expected = desired - scaled(partition, desired, false)
-- A selector of nodes lowers the number further. Only the controller knows by how much: it reports the end in the condition Blocked.
local selector = member(obj, "spec", "updateStrategy", "rollingUpdate", "selector")
local block = trueCondition("Blocked")
if selector ~= nil and block ~= nil and block.reason == "PartitionReached" and updated < expected then expected = updated end
-- The partition also keeps nodes from getting their first Pod if the DaemonSet asks for that.
local annotations = member(obj, "metadata", "annotations") or {}
local isPartitioned = member(obj, "spec", "scaleStrategy", "partitionedScaling") == true
  or annotations["daemonset.kruise.io/progressive-create-pod"] == "true"
local needed = desired
if isPartitioned then needed = scheduled end
if isPartitioned and expected > scheduled then needed = expected end
if needed > desired then needed = desired end
return firstOf(
  unobserved(),
  fault(),
  suspended("spec", "updateStrategy", "rollingUpdate", "paused"),
  waiting(),
  rollout({
    desired = desired,
    needed = needed,
    total = desired,
    available = count(0, "status", "numberAvailable"),
    updated = updated,
    expected = expected,
    isOnDelete = text("spec", "updateStrategy", "type") == "OnDelete",
  })
)
