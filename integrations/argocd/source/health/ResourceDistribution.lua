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
