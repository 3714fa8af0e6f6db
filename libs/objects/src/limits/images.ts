/** Bounds of image pulling: NodeImage, ImagePullJob and ImageListPullJob. */
import type { Limits } from './limit.ts';

export const imageLimits = {
  imagesOfList: {
    value: 255,
    unit: 'entries',
    bounds: '`spec.images` of an ImageListPullJob',
    beyond:
      'Admission refuses the object, unless the update adds none; the event `FailedCreate` reports an object that was stored before, and no job is created. Split the list into several ImageListPullJobs.',
    enforcedBy: 'validating webhook',
  },
  imagesOfNode: {
    value: 256,
    unit: 'entries',
    bounds: '`spec.images` of a NodeImage',
    beyond:
      'Admission refuses the NodeImage, unless the update adds none. Jobs add no image to a node that has more. Remove images that the node does not need.',
    enforcedBy: 'validating webhook',
  },
  intervalOfLists: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'The shortest time between two ImageListPullJobs of one AdvancedCronJob',
    beyond: 'Admission warns, and the manager skips the times in between.',
    enforcedBy: 'manager',
  },
  tasksOfPass: {
    value: 500,
    unit: 'actions',
    bounds: 'NodeImages into which one pass of an ImagePullJob writes a task; 32 are written at a time',
    beyond: 'The next pass follows immediately.',
    enforcedBy: 'manager',
  },
  tagsOfNode: {
    value: 400,
    unit: 'entries',
    bounds:
      'Tags in a NodeImage that jobs request; one namespace gets at most four times what it leaves for others, and four fifths if it is the only one',
    beyond:
      'The node waits, and the message of the ImagePullJob names the namespaces that use it. Delete jobs, or set a shorter `ttlSecondsAfterFinished`.',
    enforcedBy: 'manager',
  },
  bytesOfNode: {
    value: 262_144,
    unit: 'bytes',
    bounds:
      '`spec` of a NodeImage as jobs write it; the same share of one namespace also applies to its size and to the images of the node',
    beyond:
      'The node waits, and the message of the ImagePullJob names the namespaces that use it. Delete jobs, or set a shorter `ttlSecondsAfterFinished`.',
    enforcedBy: 'manager',
  },
  secretBytesOfNode: {
    value: 65_536,
    unit: 'bytes',
    bounds: '`spec` of a NodeImage beyond that, for pull secrets of existing tasks; the same share of one namespace applies',
    beyond:
      'The node pulls with its existing secrets, and the message of the ImagePullJob names the namespaces that use it. Delete jobs, or name fewer secrets.',
    enforcedBy: 'manager',
  },
  pullSecretsOfJob: {
    value: 64,
    unit: 'entries',
    bounds: '`spec.pullSecrets` of an ImagePullJob or ImageListPullJob',
    beyond:
      'Admission refuses the object, unless the update adds none; the event `InvalidSpec` (for a list, `FailedCreate`) reports an object that was stored before, and no image is pulled. Name the secrets that the image needs.',
    enforcedBy: 'validating webhook',
  },
  pullSecretBytes: {
    value: 65_536,
    unit: 'bytes',
    bounds: 'The data of a pull secret of an ImagePullJob or ImageListPullJob, which every node of the job reads',
    beyond:
      'The manager passes the Secret to no node, and the event `PullSecretRefused` reports this. The image is pulled without the Secret. Use a Secret with only the registries of the image.',
    enforcedBy: 'manager',
  },
  sandboxConfigOfJob: {
    value: 262_144,
    unit: 'bytes',
    bounds:
      'Keys and values in `spec.sandboxConfig` of an ImagePullJob or ImageListPullJob, as many as the API server allows for annotations',
    beyond:
      'Admission refuses the object, unless the update adds nothing; the event `InvalidSpec` (for a list, `FailedCreate`) reports an object that was stored before, and no image is pulled. Use shorter labels and annotations.',
    enforcedBy: 'validating webhook',
  },
  sandboxesOfList: {
    value: 8 << 20,
    unit: 'bytes',
    bounds: '`spec.images` of an ImageListPullJob times keys and values in `spec.sandboxConfig`, because each ImagePullJob has a copy',
    beyond:
      'Admission refuses the object, unless the update adds nothing; the event `FailedCreate` reports an object that was stored before, and no job is created. Use a smaller `sandboxConfig`, or several ImageListPullJobs.',
    enforcedBy: 'validating webhook',
  },
  pullWithoutDeadline: {
    value: 86_400_000,
    unit: 'milliseconds',
    bounds: 'The total time of all tries of one node for one image, without `activeDeadlineSeconds`',
    beyond: 'The manager counts the node as failed for the job. Set `spec.completionPolicy.activeDeadlineSeconds` to allow more.',
    enforcedBy: 'manager',
  },
  silenceOfNode: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'The time in which a node that reports nothing about its task counts against `spec.parallelism` of an ImagePullJob',
    beyond: 'The job gives the task to the next node. The silent node fails after 10 minutes.',
    enforcedBy: 'manager',
  },
} as const satisfies Limits;
