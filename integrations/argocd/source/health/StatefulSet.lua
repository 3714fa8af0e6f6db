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
