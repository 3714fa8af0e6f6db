/** The controllers of the node agent. A part is added to `parts`. */
import { containerMetaPart } from './container-meta/index.ts';
import { imagesPart } from './images/index.ts';
import type { DefineNodePart, NodeDependencies, NodePart } from './node-part.ts';
import { probesPart } from './probes/index.ts';
import { recreatePart } from './recreate/index.ts';

/** In the order of their start. @see spec/daemon.md 2 */
const parts: readonly DefineNodePart[] = [imagesPart, recreatePart, probesPart, containerMetaPart];

export const defineNodeParts = (dependencies: NodeDependencies): readonly NodePart[] =>
  parts.map((define) => define(dependencies)).filter((part) => part !== undefined);
