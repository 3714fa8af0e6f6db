/** `expose`: a Service for a workload. */
import { joined } from '../failure.ts';
import type { Call, Run } from '../cli/command.ts';
import { serviceFor, type ServiceOptions } from '../expose/plan-service.ts';
import { withLastApplied, type Untyped } from '../objects/untyped.ts';
import { dryRun, printResult } from '../session/print-result.ts';
import { forEachTarget, selectTargets, servedType } from '../session/select-objects.ts';

function optionsOf({ flags }: Call, namespace: string): ServiceOptions {
  const targetPort = flags.text('target-port');
  return {
    namespace,
    name: flags.text('name'),
    port: flags.text('port'),
    targetPort: targetPort === '' ? flags.text('container-port') : targetPort,
    protocol: flags.text('protocol'),
    type: flags.text('type'),
    selector: flags.text('selector'),
    labels: flags.text('labels'),
    clusterIp: flags.text('cluster-ip'),
    externalIp: flags.text('external-ip'),
    loadBalancerIp: flags.text('load-balancer-ip'),
    sessionAffinity: flags.text('session-affinity'),
    overrides: flags.text('overrides'),
  };
}

export const run: Run = async (call, session) => {
  const how = dryRun(call, session);
  const services = await servedType(session, 'services');
  const targets = await selectTargets(call, session, call.args, { selectorFlag: '' });
  const failures = await forEachTarget(session, targets, async ({ type, namespace, object }) => {
    const planned = serviceFor(object, type.group, optionsOf(call, namespace));
    const service = call.flags.bool('save-config') ? withLastApplied(planned) : planned;
    const options = { dryRun: how === 'server', fieldManager: call.flags.text('field-manager'), signal: session.signal };
    const written = how === 'client' ? service : await session.client().create(services, service, options);
    await printResult(call, session, { type: services, object: written as Untyped, operation: 'exposed', dryRun: how });
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
};
