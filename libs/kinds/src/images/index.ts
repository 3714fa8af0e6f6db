export { isActive } from './active-job.ts';
export {
  byTaskOwner,
  imageAt,
  imageStatusesOf,
  imagesOf,
  ownersOf,
  tagAt,
  tagStatusAt,
  tagStatusesOf,
  tagsOf,
  versionOf,
} from './node-image-tags.ts';
export { NodeShares } from './node-share.ts';
export type { SourceOf } from './node-share.ts';
export { isPullSecret, pullSecretTypes, whyUnfit } from './pull-secrets.ts';
export type { Unfit } from './pull-secrets.ts';
