import {
  announcedService,
  askAddresses,
  askServedCertificate,
  askRescue,
  holdsData,
  systemService,
} from '../server/app.ts'
import type { FoundServer, OtherServer } from './appliance.ts'

/**
 * Finds the server whose client this window is: one on its own data folder, which it asks through that folder, or the
 * service of the computer, which runs in an account of its own and proves itself by its key. A window with data of its
 * own serves that data.
 */
export function otherServer(folder: () => string): OtherServer {
  const service = systemService()
  const announced = service && announcedService(service.windowFolder)
  let found: FoundServer | undefined
  const find = async (): Promise<FoundServer | undefined> => {
    const own = await askAddresses(folder())
    if (own) {
      return { kind: 'own', url: own.urls[0] ?? null, setupCode: own.setupCode }
    }
    if (!service || holdsData(folder())) {
      return undefined
    }
    const url = await announced?.ask()
    return url !== undefined
      ? { kind: 'service', url, setupCode: null }
      : service.isInstalled()
        ? { kind: 'expected', problem: downText(service.describe) }
        : undefined
  }
  return {
    ask: async () => (found = await find()),
    // For a service in its own account, an administrator runs "sudo farhand account".
    rescue: async (request) => (found?.kind === 'own' ? askRescue(folder(), request) : undefined),
    isOwnCertificate: async (pem) =>
      found?.kind === 'service'
        ? ((await announced?.isOwnCertificate(pem)) ?? false)
        : askServedCertificate(folder(), pem),
  }
}

const downText = (describe: string) =>
  `Farhand runs as a service of this computer (${describe}), and the service does not answer. This window opens it as soon as it runs. ` +
  'If it does not start by itself, an administrator can start it, or see why with "farhand service status".'
