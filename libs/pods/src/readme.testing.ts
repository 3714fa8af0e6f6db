/** The example of README.md. */
import type { KubeObject } from '@kruise/objects';
import { decideClaim, type Claimant } from './index.ts';

/** Returns what a workload has to write so that it owns exactly the objects that it selects: one line for each, '' where there is nothing to do. */
export const planOwnership = (objects: readonly KubeObject[], workload: Claimant): readonly string[] =>
  objects.map((object) => {
    const decision = decideClaim(object, workload);
    switch (decision.kind) {
      case 'Adopt':
        return `adopt ${object.metadata.name}`;
      case 'Release':
        return `release ${object.metadata.name}, ${decision.ownerReferences.length} owners left`;
      case 'Claimed':
      case 'Ignored':
        return '';
    }
  });
