import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { EnrollAnew } from '../../shared/dtos/enroll-anew.ts'
import { Commands } from './commands.ts'
import { Consent } from './consent.ts'
import { StandingAnswers } from './standing-answers.ts'
import { Desktops } from './desktops.ts'
import { fileHandlers } from './files.ts'
import { FileMessages } from './files/messages.ts'
import { guardedHandlers } from './consent-guard.ts'
import { PartFiles } from './files/parts.ts'
import { changePower, changePowerNow, receivePowerChange } from './power.ts'
import { PowerOrders, type PowerOrdersDependencies } from './power-orders.ts'
import { PwshCompletions } from './pwsh-completions.ts'
import { Terminals } from './terminal.ts'
import { installerLogFolder, Updates } from './update.ts'
import { VisitLog, type VisitInput } from './visit-log.ts'
import { Vnc } from './vnc.ts'
import { wake } from './wake.ts'
import type { Clock } from '../base/clock.ts'
import type { Options } from '../base/arguments.ts'
import type { AgentHubMethods } from '../link/connection.ts'
import type { Log } from '../base/log.ts'
import type { Paths } from '../base/paths.ts'
import { platform } from '../platform/index.ts'
import type { Settings } from '../trust/settings.ts'
import type { ServerAccess } from '../trust/access.ts'

interface CapabilityDependencies {
  clock: Clock
  log: Log
  options: Options
  paths: Paths
  settings: Settings
  access: ServerAccess
  server: () => AgentHubMethods
  /** Sends an up-to-date report of this device to the server. */
  report: () => Promise<void>
  /** Removes this agent from the device. */
  uninstall: () => void
  /** Enrolls this machine as a new device, because another machine keeps its identity. */
  enrollAnew: (key: EnrollAnew) => void
}

type Tell = (subject: string, sent: Promise<unknown>) => void

/** Desktops, and the people at them who let visitors in. */
function openDesktops({ clock, log, paths, access, server }: CapabilityDependencies, tell: Tell, visits: VisitLog) {
  /** Functions that note the end of a session, by its id. */
  const ends = new Map<string, (input: VisitInput) => void>()
  /** Running sessions whose viewers have heard the device. */
  const heard = new Set<string>()
  const tellHeard = (sessionId: string) => tell('the sound of a session', server().SendSessionHeard(sessionId))
  const desktops: Desktops = new Desktops({
    clock,
    log,
    server,
    discover: () => platform.desktops.find(),
    relay: (websocketUri) => access.relay(websocketUri),
    grantsFile: paths.grantsFile,
    admit: (visit, person) => consent.admit(visit, person),
    sessionBegan: (sessionId, { subject, visitorName, organizationName }) =>
      ends.set(sessionId, visits.begin({ kind: subject, visitor: visitorName, organizationName })),
    sessionHeard(sessionId) {
      heard.add(sessionId)
      tellHeard(sessionId)
    },
    sessionEnded({ sessionId, visitorId, person, isByPerson, hasTyped, hasHeard, pasted, copied }) {
      ends.get(sessionId)?.({ hasTyped, hasHeard, pasted, copied })
      ends.delete(sessionId)
      heard.delete(sessionId)
      if (isByPerson && visitorId !== '') {
        consent.withdraw(visitorId, person)
      }
    },
    refusalOfPreview: (person) => consent.refusalOfPreview(person),
  })
  const consent: Consent = new Consent({
    clock,
    log,
    file: new StandingAnswers(paths.consentFile),
    person: (wishers) => desktops.list.person(wishers),
    report: (answers) => tell('standing answers', server().SendConsentAnswers(answers)),
  })
  const resumeVisits = () => {
    consent.resume()
    heard.forEach(tellHeard)
  }
  return { desktops, consent, resumeVisits }
}

/** Opens the work on files, and sweeps uploads that nobody resumes. */
function openFiles({ clock, log, paths, server }: CapabilityDependencies) {
  const parts = new PartFiles(paths.partsFolder)
  const stopSweeping = parts.start(clock)
  const files = fileHandlers({
    parts,
    clock,
    log,
    server,
    logFolders: [
      { groupName: 'Agent Logs', folder: paths.logFolder },
      { groupName: 'Installer Logs', folder: installerLogFolder(paths) },
    ],
  })
  const fileMessages = new FileMessages({ clock, log, parts, server })
  return { files, fileMessages, stopSweeping }
}

/** Opens the order of a restart or shutdown that this device keeps. */
const openPowerOrders = (
  { clock, log, options, paths, server }: CapabilityDependencies,
  person: PowerOrdersDependencies['person'],
  visits: VisitLog,
) =>
  new PowerOrders({
    clock,
    log,
    file: paths.powerOrderFile,
    variants: async () => [...(await platform.powerVariants(options))],
    person,
    report: (state) => server().SendPowerState(state),
    confirm: (id) => server().ConfirmPowerOrder(id),
    change: (order) => changePowerNow(order.change, { log, visits }, order),
  })

/** Lets a command in and notes it. */
async function enterRun(consent: Consent, visits: VisitLog, runId: string) {
  const { refusal, visitorName } = await consent.enter('terminal', runId)
  if (refusal === undefined) {
    visits.note({ kind: 'command', visitor: visitorName })
  }
  return refusal === undefined ? {} : { refusal }
}

/** Creates the handlers for the server's requests, and the lifecycle functions of all capabilities. */
export function createCapabilities(deps: CapabilityDependencies) {
  const { clock, log, options, paths, access, server } = deps
  const { AppOptions, Developer } = deps.settings
  // Older servers do not know every method.
  const tell: Tell = (subject, sent) =>
    void sent.catch((error: unknown) => log.debug({ error }, `The report of ${subject} failed`))
  const updates = new Updates({
    clock,
    log,
    paths,
    access,
    tenantId: AppOptions.TenantId,
    instanceId: options.instanceId,
    dataDir: options.dataDir,
    isAutomaticOff: Developer?.DisableAutoUpdate === true,
    onRefusal: (reason) => tell('a rejected update', server().SendUpdateRefusal(reason)),
  })
  const visits = new VisitLog(paths.visitsFile, clock)
  const terminals = new Terminals({
    clock,
    log,
    visits,
    send: (viewer, output) => server().SendTerminalOutputToViewer(viewer, output),
  })
  const completions = new PwshCompletions((id) => terminals.isOpen(id), clock)
  const { files, fileMessages, stopSweeping } = openFiles(deps)
  const { desktops, consent, resumeVisits } = openDesktops(deps, tell, visits)
  const stopReporting = consent.start()
  const orders = openPowerOrders(deps, () => desktops.list.person(), visits)
  const stopOrders = orders.start()
  const vnc = new Vnc({ log, access, ...(AppOptions.VncPorts && { allowedPorts: AppOptions.VncPorts }) })
  const commands = new Commands({
    clock,
    log,
    enter: (runId) => enterRun(consent, visits, runId),
    enrollAnew: deps.enrollAnew,
    desktops: desktops.list,
  })

  const handlers: HubClientHandlers<typeof agentHub> = {
    ReceiveTerminalInput: (input) => terminals.input(input),
    CloseTerminalSession(id) {
      terminals.close(id)
      completions.forget(id)
    },
    GetPwshCompletions: (request) => completions.get(request),
    ...guardedHandlers({
      consent,
      visits,
      terminals,
      vnc,
      commands,
      files,
      fileMessages,
      receivePower: async (message) =>
        (await orders.receive(message)) ?? (await receivePowerChange(message, { clock, log, agent: options })),
    }),
    ...desktops.handlers,
    TestVncConnection: (port) => vnc.test(port),
    InvokeWakeDevice: ({ macAddresses }) => wake(macAddresses, { log }),
    ReceivePowerStateChange: (change) => changePower(change, { log, visits }),
    ReceiveAgentUpdateTrigger: () => updates.check({ isForced: true }),
    RefreshDeviceInfo: deps.report,
    UninstallAgent(reason) {
      log.warn({ reason }, 'The server asked this agent to uninstall itself')
      deps.uninstall()
    },
  }

  return {
    handlers,
    /** Call when the server has accepted this device, so that terminal output can be delivered again. */
    resume() {
      resumeVisits()
      orders.resume()
      tell('open terminals', server().SendOpenTerminals(terminals.resume()))
      updates.connected()
    },
    /** Whether a newer agent is about to replace this one. */
    isUpdating: () => updates.hasStarted,
    stop() {
      stopSweeping()
      stopReporting()
      stopOrders()
      updates.stop()
      terminals.closeAll()
      commands.endAll()
      fileMessages.endAll()
      desktops.stop()
      vnc.closeAll()
    },
  }
}
