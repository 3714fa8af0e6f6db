/** The PromQL that dashboards and alerts have in common. @see spec/operations.md 5.3 */

/** Selects the series of this project by the jobs that ServiceMonitors and PodMonitors give: other programs have metrics under the same names. */
export const ours = 'job=~".*kruise.*"';

/** Per second. @param more further matchers, each with a leading comma; @param window 5 min when absent */
export const rate = (metric: string, more = '', window = '5m'): string => `rate(${metric}{${ours}${more}}[${window}])`;

/** In seconds, over 5 min. @param by a label */
export const p99 = (metric: string, by: string, more = ''): string =>
  `histogram_quantile(0.99, sum by (le, ${by}) (${rate(`${metric}_bucket`, more)}))`;

/** Share of the passes of each controller that fail, 0 to 1. @param window 5 min when absent */
export const reconcileErrorShare = (window?: string): string =>
  `sum by (controller) (${rate('controller_runtime_reconcile_errors_total', '', window)}) / sum by (controller) (${rate('controller_runtime_reconcile_total', '', window)})`;

/** Admission requests that get no decision: too many at once, an error, no decision in time. Not those whose caller disconnects or is unknown. */
export const undecided = 'code=~"429|5.."';

/** Share of the admission requests that get no decision, 0 to 1. */
export const webhookErrorShare = `sum(${rate('controller_runtime_webhook_requests_total', `,${undecided}`)}) / sum(${rate('controller_runtime_webhook_requests_total')})`;
