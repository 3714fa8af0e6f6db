return firstOf(unobserved(), verdict("Healthy", "The controller records where the Pods run"))
