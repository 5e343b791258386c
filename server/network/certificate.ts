import { z } from 'zod'
import type { App, Call } from '../call/call.ts'
import { badRequest, conflict } from '../ground/errors.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { serverTarget } from '../rights/change.ts'
import { readNetworkRow, settingsId } from './serving.ts'

/** Custom certificate with its key, uploaded as PEM or PFX. */
const Uploaded = z.object({ pem: z.string().nullish(), pfx: z.string().nullish(), password: z.string().nullish() })
type Uploaded = z.output<typeof Uploaded>

const sealContext = 'network_settings/certificate'

/** Whether the configuration sets a certificate, which disables changes in the app. */
export const isCertificateConfigured = ({ config }: Pick<App, 'config'>): boolean =>
  config.tls.certificatePath !== undefined

const contentOf = ({ pem, pfx, password }: Uploaded) => ({
  content: pem ? Buffer.from(pem) : Buffer.from(pfx ?? '', 'base64'),
  password: password || undefined,
})

/** Activates the uploaded certificate, unless the configuration sets a certificate. */
export async function useStoredCertificate(app: App): Promise<void> {
  if (isCertificateConfigured(app)) {
    return
  }
  const { sealedCertificate } = await readNetworkRow(app)
  const stored =
    sealedCertificate === null
      ? undefined
      : Uploaded.parse(JSON.parse(app.sealer.unseal(sealedCertificate, sealContext).toString()))
  if (stored || app.network.hasUploaded) {
    await (await app.tls()).useCustom(stored && contentOf(stored))
  }
  app.network.hasUploaded = stored !== undefined
}

async function store(call: Call, uploaded: Uploaded | undefined, before: object): Promise<void> {
  const { app } = call
  const { source, names } = (await app.tls()).certificate()
  const sealedCertificate = uploaded ? app.sealer.seal(JSON.stringify(uploaded), sealContext) : null
  await app.database.write(async (transaction) => {
    await app.models.NetworkSettings.update({ sealedCertificate }, { where: { id: settingsId }, transaction })
    await recordChange(call, transaction, {
      actionType: 'network-certificate-updated',
      targetType: 'Server',
      targetId: serverTarget,
      tenantId: null,
      before,
      after: { source, names },
    })
  })
  app.log.info({ source, names, actor: call.actor }, 'The certificate of this server was changed.')
}

/**
 * Activates and stores a custom certificate after a test; undefined restores the issued certificate. Throws 400 and
 * 409.
 */
export async function setOwnCertificate(call: Call, uploaded: Uploaded | undefined): Promise<void> {
  const { app } = call
  if (isCertificateConfigured(app)) {
    throw conflict('Service_Tls__CertificatePath names the certificate. Change it there.')
  }
  await app.network.changes.run(async () => {
    const tls = await app.tls()
    const { source, names } = tls.certificate()
    app.network.hasUploaded = true
    try {
      const problem = await tls.useCustom(uploaded && contentOf(uploaded))
      if (problem !== null) {
        throw badRequest(problem)
      }
      await store(call, uploaded, { source, names })
      app.network.hasUploaded = uploaded !== undefined
    } catch (error) {
      await useStoredCertificate(app)
      throw error
    }
  })
}
