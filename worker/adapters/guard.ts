import { PortFailure } from '../../activities/ports/port-failure.js';
import { isRetryable } from '../../domain/failure-type.js';
import { CircuitBreaker, isOutage, type Outage } from '../../domain/rate-limits/circuit-breaker.js';

/** The smallest request to a dependency. Rejects as the dependency's other requests do. */
export type Probe = () => Promise<unknown>;

/** The only owner of the outages of one dependency in this worker. */
export interface Guard {
  /**
   * Does work with the dependency. While that is known to fail, it rejects at once with PortFailure (`ModelDeferred`), and
   * nothing is sent but a probe from time to time. A failure of the work itself is rejected with as it is; one that is not retried,
   * such as a refused key, only if the work fails so again after a probe was answered.
   */
  readonly through: <T>(work: () => Promise<T>, probe: Probe) => Promise<T>;
  /** Does work that is itself a probe, also while the dependency is known to fail: a person asks whether it is mended. */
  readonly anew: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether the dependency answers its smallest request. If not, calls are deferred from now on. */
  readonly answers: (probe: Probe) => Promise<boolean>;
  /** What the dependency fails of; null while it works. */
  readonly outage: () => Outage | null;
  /** Another worker says that the dependency fails: believed unless it has answered this worker since the last call of this. */
  readonly learn: (outage: Outage | null) => void;
}

/** Of this process. */
const guards: (readonly [group: string, guard: Guard])[] = [];

/** The dependencies of this process in their groups, and whether any of a group is known to fail. */
export function outages(): ReadonlyMap<string, boolean> {
  const failing = new Map<string, boolean>();
  for (const [group, guard] of guards)
    failing.set(group, failing.get(group) === true || guard.outage() !== null);
  return failing;
}

/**
 * @param name - of the dependency, as the messages of its deferrals begin
 * @param group - as metrics name it: there may be thousands of databases
 */
export function createGuard(name: string, group = name): Guard {
  const breaker = new CircuitBreaker();
  let probing: Promise<boolean> | null = null;
  let hasAnswered = false;

  const now = (): number => performance.now();

  function recordAnswered(): void {
    hasAnswered = true;
    breaker.recordAnswered();
  }

  /** One probe at a time serves all that ask. */
  function answers(probe: Probe): Promise<boolean> {
    probing ??= probe()
      .then(
        () => null,
        (error: unknown) => error,
      )
      .then((error) => {
        const outage = outageIn(error);
        if (outage === null) recordAnswered();
        else breaker.recordOutage(outage, now());
        probing = null;
        return outage === null;
      });
    return probing;
  }

  /** Rejects while the dependency is known to fail. */
  async function pass(probe: Probe): Promise<void> {
    const state = breaker.state(now());
    if (state.kind === 'due') await answers(probe);
    const after = breaker.state(now());
    if (after.kind !== 'open') return;
    const { outage, untilMs } = after;
    throw deferred(name, outage, untilMs - now());
  }

  const guard: Guard = {
    answers,
    through: async (work, probe) => {
      for (let isAgain = false; ; isAgain = true) {
        await pass(probe);
        try {
          const done = await work();
          recordAnswered();
          return done;
        } catch (error) {
          const outage = outageIn(error);
          if (outage === null) {
            if (isAnswer(error)) recordAnswered();
            throw error;
          }
          if (breaker.recordFailed(outage.failure)) await answers(probe);
          await pass(probe);
          // What nobody tries again would end the request, though the dependency may have been mended just now.
          if (isAgain || isRetryable(outage.failure)) throw error;
        }
      }
    },
    anew: async (work) => {
      try {
        const done = await work();
        recordAnswered();
        return done;
      } catch (error) {
        if (outageIn(error) === null && isAnswer(error)) recordAnswered();
        throw error;
      }
    },
    outage: () => {
      const state = breaker.state(now());
      return state.kind === 'open' ? state.outage : null;
    },
    learn: (outage) => {
      if (outage !== null && !hasAnswered && breaker.state(now()).kind === 'closed')
        breaker.recordOutage(outage, now());
      hasAnswered = false;
    },
  };
  guards.push([group, guard]);
  return guard;
}

/** A failure that says something about the request, and so that the dependency works. */
const isAnswer = (error: unknown): boolean =>
  error instanceof PortFailure && error.type !== 'ModelDeferred';

function outageIn(error: unknown): Outage | null {
  if (!(error instanceof PortFailure) || !isOutage(error.type)) return null;
  const { type, message } = error;
  return { failure: type, message };
}

const deferred = (name: string, { failure, message }: Outage, waitMs: number): PortFailure =>
  new PortFailure('ModelDeferred', message.includes(name) ? message : `${name}: ${message}`, {
    reason: 'outage',
    outage: failure,
    retryAfterMs: Math.max(1, Math.ceil(waitMs)),
  });
