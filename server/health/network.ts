import { dayMs } from '../../shared/durations.ts'
import { isLoopbackHost } from '../ground/machine.ts'
import { connections } from './connections.ts'
import { length, ok, problem, time, warning, type HealthCheck } from './check.ts'

/** Custom certificates are renewed by their owner, who needs some days. */
const customDays = 14

const ports: HealthCheck = {
  id: 'ports',
  title: 'Addresses',
  run({ listeners, network }) {
    const all = listeners.list()
    const failed = all.filter((each) => each.problem !== null)
    const served = all.filter((each) => each.problem === null)
    const summary = served.map(({ url }) => url).join(', ') || 'No address is served'
    if (failed.length > 0) {
      return problem(
        `${summary}; not served: ${failed.map(({ url, problem: reason }) => `${url} (${reason})`).join(', ')}`,
        'Choose another port on the Network page, or end the program that uses this one.',
      )
    }
    if (network.problem !== null) {
      return problem(`${summary}; ${network.problem}`, 'Open the Network page.')
    }
    return served.some(({ scheme, host }) => scheme === 'http' && !isLoopbackHost(host))
      ? warning(
          `${summary}: without TLS`,
          'Serve the network with https: everybody on the way can read and change http.',
        )
      : ok(summary)
  },
}

const certificate: HealthCheck = {
  id: 'certificate',
  title: 'Certificate',
  async run({ listeners, tls, clock }) {
    if (!listeners.list().some(({ scheme }) => scheme === 'https')) {
      return ok('Not needed: no address uses TLS')
    }
    const { source, notBefore, notAfter, problem: reason } = (await tls()).certificate()
    const left = notAfter - clock.now()
    const whose = source === 'own' ? 'Your certificate' : 'The certificate of this server'
    const renew =
      source === 'own'
        ? 'Put a renewed certificate in its place, or upload it on the Network page.'
        : 'Check the clock.'
    if (reason !== null) {
      return problem(
        `${whose} cannot be used: ${reason}`,
        'Correct the files, or upload a certificate on the Network page.',
      )
    }
    if (left <= 0) {
      return problem(`${whose} expired on ${time(notAfter)}`, renew, notAfter)
    }
    if (notBefore > clock.now()) {
      return problem(`${whose} is valid from ${time(notBefore)} only`, 'Check the clock of this computer.')
    }
    const summary = `${whose} is valid for ${length(left)}, until ${time(notAfter)}`
    return source === 'own' && left < customDays * dayMs ? warning(summary, renew) : ok(summary)
  },
}

const mail: HealthCheck = {
  id: 'mail',
  title: 'Mail',
  run({ mail: { isOn, lastProblem }, config }) {
    if (config.appOptions.disableEmailSending) {
      return ok('Turned off')
    }
    if (!isOn) {
      return ok('Not set up: invitations and password resets are handed out by hand')
    }
    return lastProblem === undefined
      ? ok('Set up')
      : problem(
          `The last mail was not sent: ${lastProblem}`,
          'Correct the mail settings on the Server page, and send a test mail.',
        )
  },
}

export const networkChecks: readonly HealthCheck[] = [ports, connections, certificate, mail]
