/** Admission of ResourceDistributions. The rules are pure functions of libs/api; whether a resource can exist, the API server is asked. @see spec/resourcedistribution.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  resourceDistributionDeclaration,
  resourceDistributionWarnings,
  validateDistributedResource,
  validateDistributionName,
  validateTargets,
} from '@kruise/api';
import { deepEqual, memberAt, type JsonObject } from '@kruise/objects';
import { gateDenial } from '../../module/gate-denial.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Findings, type Submission } from '../../module/kind-admission.ts';
import { dryRunFaults } from './observe-dry-run.ts';

async function findingsOf(
  { object: sent, oldObject: stored }: Submission,
  dependencies: HandlerDependencies,
  signal: AbortSignal,
): Promise<Findings> {
  const [object, oldObject]: readonly [JsonObject, JsonObject | undefined] = [
    inHub(sent),
    stored === undefined ? undefined : inHub(stored),
  ];
  const own = validateDistributedResource(object, oldObject);
  // What was found good once need not be asked again because a label changes.
  const isKnown = oldObject !== undefined && deepEqual(memberAt(oldObject, 'spec', 'resource'), memberAt(object, 'spec', 'resource'));
  const asked = own.length > 0 || isKnown ? [] : await dryRunFaults(object, dependencies, signal);
  return {
    faults: [...validateDistributionName(object), ...own, ...asked, ...validateTargets(object)],
    warnings: resourceDistributionWarnings(object),
  };
}

/** The validating handler. */
export const resourceDistributionAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission({
    declaration: resourceDistributionDeclaration,
    faultCode: 422,
    denial: () => gateDenial(dependencies.gates, 'ResourceDistributionGate'),
    findings: (submission, signal) => findingsOf(submission, dependencies, signal),
  });
