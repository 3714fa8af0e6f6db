/** Reasons of the kubelet and the container runtime for `state.waiting` of a container that cannot start. */

/** The image cannot be pulled or read. */
export const imagePullFailures: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/** The image is there, and the container cannot be created or started. */
export const containerStartFailures: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);
