/** The events of a UnitedDeployment, one function each; two of the reasons have a blank. @see spec/uniteddeployment.md 3 */
import type { UnitedDeployment } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { messageOf } from '@kruise/objects';
import type { ChildKind } from '@kruise/kinds/uniteddeployment';

/** An event source bound to one UnitedDeployment. */
export interface UnitedDeploymentEvents {
  readonly failedRevision: (error: unknown) => void;
  /** Whose the children are could not be settled. */
  readonly failedFind: (error: unknown) => void;
  readonly failedDeleteDuplicate: (error: unknown, child: string) => void;
  readonly failedAllocation: (why: string) => void;
  readonly failedChild: (what: string, error: unknown) => void;
  readonly done: (verb: 'Create' | 'Delete', count: number, kind: ChildKind) => void;
  readonly invalid: (why: string) => void;
}

export function unitedDeploymentEvents(recorder: EventRecorder, united: UnitedDeployment): UnitedDeploymentEvents {
  const warning = (reason: string, message: string): void => recorder.event(united, 'Warning', reason, message);
  return {
    failedRevision: (error) => warning('FailedRevisionProvision', messageOf(error)),
    failedFind: (error) => {
      warning('FailedFindSubsets', messageOf(error));
      warning('Failed FindSubsets', messageOf(error));
    },
    failedDeleteDuplicate: (error, child) => {
      warning('FailedDeleteDuplicatedSubsets', `${child}: ${messageOf(error)}`);
      warning('Failed FindSubsets', messageOf(error));
    },
    failedAllocation: (why) => warning('Failed SpecifySubsetReplicas', why),
    failedChild: (what, error) => warning('FailedUpdateSubset', `${what}: ${messageOf(error)}`),
    done: (verb, count, kind) => recorder.event(united, 'Normal', 'SuccessfulUpdateSubset', `${verb} ${count} Subset (${kind.name})`),
    invalid: (why) => warning('InvalidSpec', why),
  };
}
