/**
 * Whether the webhook server really answers, with a certificate that its own CA vouches for.
 * @see spec/manager.md 5.3
 */
import { request } from 'node:https';

const timeoutMs = 5000;

/**
 * Asks `/healthz` of the webhook port; any HTTP answer will do. Dials 127.0.0.1, which every network namespace has, and checks the certificate
 * for `localhost`.
 *
 * @param caCert PEM; the only CA trusted
 * @throws when there is no answer within 5 s, or the certificate does not verify
 */
export function checkWebhookServer(port: number, caCert: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path: '/healthz', servername: 'localhost', ca: caCert, agent: false, timeout: timeoutMs },
      (response) => {
        response.resume();
        response.on('end', resolve);
      },
    );
    call.on('timeout', () => call.destroy(new Error('the webhook server did not answer in time')));
    call.on('error', reject);
    call.end();
  });
}
