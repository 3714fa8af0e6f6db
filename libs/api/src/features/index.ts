/** All features that declare webhooks or rights: the only list. */
import type { FeatureDeclaration } from '../schema/feature.ts';
import { deletionProtectionDeclaration } from './deletionprotection/declaration.ts';

export { deletionProtectionDeclaration } from './deletionprotection/declaration.ts';

/** The declaration of each feature. */
export const allFeatures: readonly FeatureDeclaration[] = [deletionProtectionDeclaration];
