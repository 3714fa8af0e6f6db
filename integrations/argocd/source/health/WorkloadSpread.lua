local without = nil
for _, one in ipairs(list("status", "subsetStatuses")) do
  for _, condition in ipairs(one.conditions or {}) do
    if condition.type == "Schedulable" and condition.status == "False" then without = one.name end
  end
end
return firstOf(
  unobserved(),
  when(without ~= nil, "Healthy", "Other subsets take the Pods of subset " .. (without or "")),
  verdict("Healthy", "New Pods are assigned to the subsets")
)
