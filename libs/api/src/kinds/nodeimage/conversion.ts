/** NodeImage v1alpha1 <-> v1beta1: the members are the same (spec/image-pulling.md 1). */
import { sameInBothVersions, type Converter } from '../../conversion/converter.ts';

export const converter: Converter = sameInBothVersions('apps.kruise.io', 'NodeImage');
