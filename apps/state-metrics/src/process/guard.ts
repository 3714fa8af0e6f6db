/** What a server checks before it answers: certificates of clients and passwords of users. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { TLSSocket, type Server as TlsServer, type TlsOptions } from 'node:tls';
import type { Clock, Logger } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import type { Answer } from '@kruise/process';
import { isPassword, parsePasswordHash } from './password-hash.ts';
import { emptyWebConfig, readWebConfig, type WebConfig } from './web-config.ts';

const rereadEvery = milliseconds(30_000);
/** Passwords that were right; wrong ones are checked each time. */
const mostRemembered = 100;
/** Checked for users that do not exist, so that the time of the answer does not say that they do not. */
const noUser = parsePasswordHash('$2b$10$abcdefghijklmnopqrstuuKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK');

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The user and password of a request; undefined when it has none. */
export function credentialsOf({ headers }: Pick<IncomingMessage, 'headers'>): Credentials | undefined {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Whether the certificate of a client is what the configuration requests; TLS itself has checked `RequireAndVerifyClientCert`. */
function isAdmitted(request: IncomingMessage, config: WebConfig): boolean {
  if (config.tls === undefined || !(request.socket instanceof TLSSocket)) return true;
  const { clientAuth } = config.tls;
  const given = Object.keys(request.socket.getPeerCertificate()).length > 0;
  if (clientAuth === 'RequireAnyClientCert') return given;
  return clientAuth !== 'VerifyClientCertIfGiven' || !given || request.socket.authorized;
}

export class Guard {
  #config: WebConfig;
  readonly #path: string;
  readonly #servers = new Set<Server>();
  readonly #remembered = new Set<string>();
  /** Passwords are checked one after the other: each check costs a tenth of a second of CPU. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param path of the web configuration; '' for neither TLS nor passwords
   * @throws ConfigError when it cannot be used
   */
  constructor(path: string) {
    this.#path = path;
    this.#config = path === '' ? emptyWebConfig : readWebConfig(path);
  }

  /** Undefined for plain HTTP. */
  get tls(): TlsOptions | undefined {
    return this.#config.tls?.options;
  }

  /** Servers whose certificates follow the files. */
  watch(server: Server): void {
    this.#servers.add(server);
  }

  /** Answers only clients that have the certificate and the password that the configuration requests. */
  checked(answer: Answer): Answer {
    return (request, response) => {
      for (const [name, value] of Object.entries(this.#config.headers)) response.setHeader(name, value);
      if (!isAdmitted(request, this.#config)) return void response.destroy();
      if (this.#config.users.size === 0) return answer(request, response);
      void this.#isUser(request).then((is) => (is ? answer(request, response) : refuse(response)));
    };
  }

  /** Reads the files again from time to time, until `signal` aborts. */
  async run({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }, signal: AbortSignal): Promise<void> {
    let fault = '';
    while (this.#path !== '' && !signal.aborted) {
      await clock.sleep(rereadEvery, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#take(readWebConfig(this.#path));
        fault = '';
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (message !== fault) logger.error({ error }, 'Failed to read the web configuration; keeping the previous one');
        fault = message;
      }
    }
  }

  /** TLS cannot be turned on or off while servers listen. */
  #take(config: WebConfig): void {
    if ((config.tls === undefined) !== (this.#config.tls === undefined)) throw new Error('TLS is turned on or off by a restart only');
    if (config.tls !== undefined) for (const server of this.#servers) (server as unknown as TlsServer).setSecureContext(config.tls.options);
    this.#config = config;
    this.#remembered.clear();
  }

  async #isUser(request: IncomingMessage): Promise<boolean> {
    const given = credentialsOf(request);
    if (given === undefined) return false;
    const hash = this.#config.users.get(given.user);
    const key = createHash('sha256')
      .update(JSON.stringify([given.user, given.password, hash]))
      .digest('base64');
    if (this.#remembered.has(key)) return true;
    const checked = hash ?? noUser;
    const check = this.#last.then(() => (request.socket.destroyed || checked === undefined ? false : isPassword(given.password, checked)));
    this.#last = check.catch(() => undefined);
    const isRight = (await check) && hash !== undefined && this.#config.users.get(given.user) === hash;
    if (isRight && this.#remembered.size < mostRemembered) this.#remembered.add(key);
    return isRight;
  }
}

function refuse(response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'text/plain; charset=utf-8', 'www-authenticate': 'Basic' }).end('Unauthorized\n');
}
