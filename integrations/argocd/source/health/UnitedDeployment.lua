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
