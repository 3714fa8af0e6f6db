return firstOf(
  when(member(obj, "metadata", "deletionTimestamp") ~= nil, "Progressing", "The object is being deleted"),
  verdict("Healthy", "The node agent reports the state of each probe in the status")
)
