/** What the demo creates, by name. */

/** The demo creates everything but the SidecarSet in this namespace. */
export const namespace = 'kruise-demo';

/** Marks the namespace and the SidecarSet as the demo's, so that the demo never removes objects of these names that a user created. */
export const demoLabels = { 'app.kubernetes.io/managed-by': 'kruise-demo' } as const;

export const cloneSetKey = { namespace, name: 'web' } as const;
/** SidecarSets have no namespace. */
export const sidecarSetKey = { namespace: '', name: 'kruise-demo-logs' } as const;
export const statefulSetKey = { namespace, name: 'db' } as const;
export const budgetKey = { namespace, name: 'db' } as const;

/** Names of the containers. */
export const applicationContainer = 'nginx';
export const sidecarContainer = 'log-agent';
