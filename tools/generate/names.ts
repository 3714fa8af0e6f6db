/** Names of installed objects that more than one generator needs. Operators rely on them: none is derived from a release's name. @see spec/manager.md 1.1 */
export const webhookServiceName = 'kruise-webhook-service';
export const mutatingConfigurationName = 'kruise-mutating-webhook-configuration';
export const validatingConfigurationName = 'kruise-validating-webhook-configuration';
/** The certificate that the manager makes for its webhooks. */
export const webhookSecretName = 'kruise-webhook-certs';
export const managerAccount = 'kruise-manager';
export const daemonAccount = 'kruise-daemon';
export const helmHookAccount = 'kruise-helm-hook';
export const plainNamespace = 'kruise-system';
export const plainDaemonConfigNamespace = 'kruise-daemon-config';
