/** NodeImage: declaration, types, conversion and defaults. */
export { converter } from './conversion.ts';
export { defaultNodeImage } from './defaults.ts';
export { declaration, nodeImages, nodeImagesV1Alpha1 } from './schema.ts';
export type { ImageSpec, ImageTagSpec, ImageTagStatus, NodeImage, NodeImageSpec, NodeImageStatus, NodeImageV1Alpha1 } from './schema.ts';
