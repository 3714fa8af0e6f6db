/** NodeImage: declaration, types, conversion, defaults and validation. */
export { nodeImageLabels } from './names.ts';
export { converter as nodeImageConverter } from './conversion.ts';
export { defaultNodeImage } from './defaults.ts';
export { maxNodeImages, nodeImageFault } from './validation.ts';
export { declaration as nodeImageDeclaration, nodeImages, nodeImagesV1Alpha1 } from './schema.ts';
export type { ImageSpec, ImageTagSpec, ImageTagStatus, NodeImage, NodeImageSpec, NodeImageStatus, NodeImageV1Alpha1 } from './schema.ts';
