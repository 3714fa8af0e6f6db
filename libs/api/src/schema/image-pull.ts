/** Shared fields of ImagePullJob, ImageListPullJob and the templates of the latter: everything except the images (spec/image-pulling.md 2). */
import { int32, intOrString, list, object, optional, string, stringMap, type Infer } from './builder.ts';
import { completionPolicy, labelSelector, labelSelectorWithNames } from './shared.ts';

/** Labels and annotations for the sandbox that the runtime receives with a pull. */
export const sandboxConfig = object('Pod sandbox configuration passed to the container runtime for the pull.', {
  annotations: optional(stringMap('Annotations of the sandbox.')),
  labels: optional(stringMap('Labels of the sandbox.')),
});
export type SandboxConfig = Infer<typeof sandboxConfig>;

/** Members of the spec besides the images. */
export const imagePullTemplateMembers = {
  completionPolicy: completionPolicy('When the job ends, and when it is deleted.'),
  imagePullPolicy: optional(
    string('Always contacts the registry even if the node has the image; IfNotPresent does not. Default IfNotPresent.'),
  ),
  parallelism: optional(intOrString('How many nodes pull at a time: a number, not a percentage. 0 pauses the job. Default 1.')),
  podSelector: optional(
    labelSelector('Pulls on the nodes that run active Pods with these labels in the namespace of the job. Not together with selector.'),
  ),
  pullPolicy: optional(
    object('How often a node retries, and how long each try may take.', {
      backoffLimit: optional(int32('Number of retries before a pull has failed. Default 3.')),
      timeoutSeconds: optional(int32('Seconds that one try may take. Default 600.')),
    }),
  ),
  pullSecrets: optional(list('Names of pull secrets in the namespace of the job. Cannot be changed later.', string('Name of a secret.'))),
  sandboxConfig: optional(sandboxConfig),
  selector: optional(
    labelSelectorWithNames(
      'The nodes to pull on: by labels or by names, not both. Absent: all nodes. Not together with podSelector.',
      'Names of the nodes; not together with conditions on labels.',
    ),
  ),
};

/** Spec of an ImageListPullJob. */
export const imageListPullJobSpec = object('The images to pull, and the nodes.', {
  ...imagePullTemplateMembers,
  images: list('The images to pull: 1 to 255, all different; each becomes an ImagePullJob.', string('Reference of an image.')),
});
export type ImageListPullJobSpec = Infer<typeof imageListPullJobSpec>;
