/** Admission of EphemeralJobs: refuses what could not be put into any Pod. The rules are pure functions of libs/api. @see spec/ephemeraljob.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { ephemeralJobDeclaration, validateEphemeralJob } from '@kruise/api';
import { semanticEqual } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** A job from before these rules keeps its faults: it must still be able to lose its finalizer. */
export const ephemeralJobAdmission = ({
  allowPrivileged,
  kubernetes,
}: Pick<HandlerDependencies, 'allowPrivileged' | 'kubernetes'>): readonly AdmissionHandler[] =>
  kindAdmission({
    declaration: ephemeralJobDeclaration,
    faultCode: 400,
    findings: ({ object, oldObject }) => ({
      faults:
        oldObject !== undefined && semanticEqual(object['spec'], oldObject['spec'])
          ? []
          : validateEphemeralJob(object, { allowPrivileged, kubernetes }),
    }),
  });
