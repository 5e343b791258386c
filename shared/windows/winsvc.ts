import type { KoffiFunc } from 'koffi'
import type { Address, Handle, Koffi, Out } from './calls.ts'

export const managerAccess = { connect: 0x1, create: 0x2 } as const
export const serviceAccess = { queryConfig: 0x1, queryStatus: 0x4, all: 0xf_01ff } as const
/** `SERVICE_WIN32_OWN_PROCESS` */
export const ownProcess = 0x10
export const autoStart = 2
export const normalErrorControl = 1
export const serviceState = { stopped: 1, startPending: 2, stopPending: 3, running: 4 } as const
export const serviceControl = { stop: 1, interrogate: 4, shutdown: 5, sessionChange: 14 } as const
export const acceptedControl = { stop: 0x1, shutdown: 0x4, sessionChange: 0x80 } as const
/** Longest stop of a service, above the usual drains of a server. */
export const longestStopMs = 10 * 60_000
/** Levels of `ChangeServiceConfig2W`. */
const level = { description: 1, failureActions: 2, delayedStart: 3, failureActionsFlag: 4 } as const
/** `SC_ACTION_NONE`, `SC_ACTION_RESTART` */
export const failureAction = { none: 0, restart: 1 } as const

/** `SERVICE_STATUS` */
export interface ServiceStatus {
  type: number
  state: number
  accepted: number
  exitCode: number
  specificExitCode: number
  checkpoint: number
  waitHintMs: number
}

interface FailureActions {
  resetSeconds: number
  rebootMessage: null
  command: null
  count: number
  actions: readonly { type: number; delayMs: number }[]
}

type Configuration = [
  type: number,
  start: number,
  errorControl: number,
  commandLine: string,
  loadOrderGroup: null,
  tag: null,
  dependencies: null,
  /** Null leaves it as it is, or is SYSTEM for a new service. */
  account: string | null,
  password: null,
]

/** Called on a thread of Windows; koffi runs the function on the thread of JavaScript. */
type Callback = (...args: never[]) => unknown

export interface WinSvc {
  openScManager: (machine: null, database: null, access: number) => Handle
  openService: (manager: Handle, name: string, access: number) => Handle
  closeServiceHandle: (handle: Handle) => boolean
  createService: (
    manager: Handle,
    name: string,
    displayName: string,
    access: number,
    ...configuration: Configuration
  ) => Handle
  changeServiceConfig: (service: Handle, ...configuration: [...Configuration, displayName: string]) => boolean
  setDescription: (service: Handle, text: string) => boolean
  setFailureActions: (service: Handle, actions: FailureActions) => boolean
  /** Whether the actions apply to a service that reports an error when it stops, and not to a crash alone. */
  setFailureActionsFlag: (service: Handle, isSet: boolean) => boolean
  /** Whether the service starts two minutes after those that do not wait. */
  setDelayedStart: (service: Handle, isSet: boolean) => boolean
  queryServiceConfig: (service: Handle, configuration: Buffer, size: number, needed: Out<number>) => boolean
  /** Command line in the bytes that `queryServiceConfig` has written. */
  commandLineIn: (configuration: Buffer) => string
  queryServiceStatus: (service: Handle, status: Partial<ServiceStatus & { processId: number }>) => boolean
  startService: (service: Handle, argumentCount: 0, args: null) => boolean
  controlService: (service: Handle, control: number, status: Partial<ServiceStatus>) => boolean
  deleteService: (service: Handle) => boolean
  /** Blocks its thread until the service has stopped. */
  startServiceCtrlDispatcher: KoffiFunc<(table: readonly { name: string | null; main: bigint | null }[]) => boolean>
  registerServiceCtrlHandlerEx: (name: string, handler: bigint, context: null) => Handle
  setServiceStatus: (service: Handle, status: ServiceStatus) => boolean
  asServiceMain: (callback: (argumentCount: number, args: Address) => void) => bigint
  asHandler: (callback: (control: number, event: number) => number) => bigint
}

function bind(koffi: Koffi): WinSvc {
  const number = 'uint32'
  const status = {
    type: number,
    state: number,
    accepted: number,
    exitCode: number,
    specificExitCode: number,
    checkpoint: number,
    waitHintMs: number,
  }
  koffi.struct('SERVICE_STATUS', status)
  const statusSize = koffi.sizeof(
    koffi.struct('SERVICE_STATUS_PROCESS', { ...status, processId: number, flags: number }),
  )
  koffi.struct('SC_ACTION', { type: 'int', delayMs: number })
  koffi.struct('SERVICE_FAILURE_ACTIONSW', {
    resetSeconds: number,
    rebootMessage: 'str16',
    command: 'str16',
    count: number,
    actions: 'SC_ACTION *',
  })
  koffi.struct('SERVICE_DESCRIPTIONW', { text: 'str16' })
  koffi.struct('SERVICE_FLAG', { isSet: 'int' })
  const configuration = koffi.struct('QUERY_SERVICE_CONFIGW', {
    type: number,
    start: number,
    errorControl: number,
    commandLine: 'str16',
    loadOrderGroup: 'str16',
    tag: number,
    dependencies: 'void *',
    account: 'str16',
    displayName: 'str16',
  })
  const main = koffi.pointer(koffi.proto('void __stdcall SERVICE_MAIN_FUNCTIONW(uint32 count, void *args)'))
  const handler = koffi.pointer(
    koffi.proto('uint32 __stdcall HANDLER_FUNCTION_EX(uint32 control, uint32 event, void *data, void *context)'),
  )
  koffi.struct('SERVICE_TABLE_ENTRYW', { name: 'str16', main })
  const asCallback = (callback: Callback, type: typeof main) => koffi.register(callback, type)

  const advapi32 = koffi.load('advapi32.dll')
  const description: (service: Handle, level: number, info: object) => boolean = advapi32.func(
    'bool __stdcall ChangeServiceConfig2W(intptr service, uint32 level, SERVICE_DESCRIPTIONW *info)',
  )
  const failureActions: typeof description = advapi32.func(
    'bool __stdcall ChangeServiceConfig2W(intptr service, uint32 level, SERVICE_FAILURE_ACTIONSW *info)',
  )
  // SERVICE_FAILURE_ACTIONS_FLAG, SERVICE_DELAYED_AUTO_START_INFO
  const flag: typeof description = advapi32.func(
    'bool __stdcall ChangeServiceConfig2W(intptr service, uint32 level, SERVICE_FLAG *info)',
  )
  const processStatus: (...args: [Handle, 0, object, number, Out<number>]) => boolean = advapi32.func(
    'bool __stdcall QueryServiceStatusEx(intptr service, int level, _Out_ SERVICE_STATUS_PROCESS *status, uint32 size, _Out_ uint32 *needed)',
  )
  const settings =
    'uint32 type, uint32 start, uint32 errorControl, str16 commandLine, str16 group, void *tag, str16 dependencies, str16 account, str16 password'
  return {
    openScManager: advapi32.func('intptr __stdcall OpenSCManagerW(str16 machine, str16 database, uint32 access)'),
    openService: advapi32.func('intptr __stdcall OpenServiceW(intptr manager, str16 name, uint32 access)'),
    closeServiceHandle: advapi32.func('bool __stdcall CloseServiceHandle(intptr handle)'),
    createService: advapi32.func(
      `intptr __stdcall CreateServiceW(intptr manager, str16 name, str16 displayName, uint32 access, ${settings})`,
    ),
    changeServiceConfig: advapi32.func(
      `bool __stdcall ChangeServiceConfigW(intptr service, ${settings}, str16 displayName)`,
    ),
    setDescription: (service, text) => description(service, level.description, { text }),
    setFailureActions: (service, actions) => failureActions(service, level.failureActions, actions),
    setFailureActionsFlag: (service, isSet) => flag(service, level.failureActionsFlag, { isSet: Number(isSet) }),
    setDelayedStart: (service, isSet) => flag(service, level.delayedStart, { isSet: Number(isSet) }),
    queryServiceConfig: advapi32.func(
      'bool __stdcall QueryServiceConfigW(intptr service, void *configuration, uint32 size, _Out_ uint32 *needed)',
    ),
    commandLineIn: (bytes) => (koffi.decode(bytes, configuration) as { commandLine: string }).commandLine,
    queryServiceStatus: (service, answer) => processStatus(service, 0, answer, statusSize, [0]),
    startService: advapi32.func('bool __stdcall StartServiceW(intptr service, uint32 count, void *args)'),
    controlService: advapi32.func(
      'bool __stdcall ControlService(intptr service, uint32 control, _Out_ SERVICE_STATUS *status)',
    ),
    deleteService: advapi32.func('bool __stdcall DeleteService(intptr service)'),
    startServiceCtrlDispatcher: advapi32.func(
      'bool __stdcall StartServiceCtrlDispatcherW(SERVICE_TABLE_ENTRYW *table)',
    ),
    registerServiceCtrlHandlerEx: advapi32.func(
      'intptr __stdcall RegisterServiceCtrlHandlerExW(str16 name, HANDLER_FUNCTION_EX *handler, void *context)',
    ),
    setServiceStatus: advapi32.func('bool __stdcall SetServiceStatus(intptr service, SERVICE_STATUS *status)'),
    asServiceMain: (callback) => asCallback(callback, main),
    asHandler: (callback) => asCallback(callback, handler),
  }
}

let functions: WinSvc | undefined

/** Binds the functions once: koffi rejects a second type of the same name. */
export const winsvc = (koffi: Koffi): WinSvc => (functions ??= bind(koffi))
