/** Whether the rules can work with a StatefulSet that admission may not have checked. */
import { ordinalSlots, parseReservedOrdinals, type StatefulSet } from '@kruise/api';
import { isJsonObject } from '@kruise/objects';
import { claimTemplatesRule, examineWorkload, replicasRule, templateRule, type Examined, type SpecRule } from '@kruise/workloads';

const reserveOrdinalsRule: SpecRule = ({ reserveOrdinals }) =>
  reserveOrdinals === undefined || reserveOrdinals === null || Array.isArray(reserveOrdinals)
    ? undefined
    : 'spec.reserveOrdinals: Invalid value: must be a list of ordinals and ranges';

const startRule: SpecRule = ({ ordinals }) => {
  const start: unknown = isJsonObject(ordinals) ? (ordinals['start'] ?? 0) : 0;
  return Number.isInteger(start) ? undefined : `spec.ordinals.start: Invalid value: ${JSON.stringify(start)}: must be a whole number`;
};

/** The rules before have found numbers. */
const roomRule: SpecRule = ({ ordinals, reserveOrdinals, replicas = 1 }) => {
  const start = isJsonObject(ordinals) ? Math.max(Number(ordinals['start'] ?? 0), 0) : 0;
  const { ranges: reserved } = parseReservedOrdinals(reserveOrdinals);
  const { size } = ordinalSlots({ start, replicas: replicas as number, reserved });
  return size < (replicas as number)
    ? `spec.replicas: Invalid value: ${JSON.stringify(replicas)}: start and reservations leave ${size} ordinals up to 2147483647`
    : undefined;
};

const rules: readonly SpecRule[] = [replicasRule, templateRule, claimTemplatesRule, reserveOrdinalsRule, startRule, roomRule];

export const examine = (set: StatefulSet): Examined => examineWorkload(set, 'StatefulSet', rules);
