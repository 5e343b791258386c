import { Alert, Button, FileButton, Group, Text } from '@mantine/core'
import { IconCertificateOff, IconFile } from '@tabler/icons-react'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import { api } from '../../api/http.ts'
import { AskButton, FormButton } from '../../components/list-kit/dialogs.tsx'
import { PasswordField } from '../../components/password-fields.tsx'
import * as t from '../../texts.ts'
import { calendarDay, exactTime } from '../../text/format.ts'
import classes from './network-page.module.css'
import { useNetworkChange } from './use-network.ts'
import { RequestForm } from '../../components/request-form.tsx'

/** Certificate files have a few thousand bytes. */
const mostBytes = 64 * 1024

const base64Of = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

/** Joins PEM files; any other file is treated as PFX. */
async function contentOf(files: readonly File[]): Promise<{ pem: string } | { pfx: string }> {
  const contents = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())))
  const texts = contents.map((content) => new TextDecoder().decode(content))
  return texts.every((text) => text.includes('-----BEGIN '))
    ? { pem: texts.join('\n') }
    : { pfx: base64Of(contents[0] ?? new Uint8Array()) }
}

function UploadForm({ onDone }: { onDone: () => void }) {
  const [files, setFiles] = useState<File[]>([])
  const [password, setPassword] = useState('')
  const upload = useNetworkChange(
    async () =>
      api.network.setCertificate({
        body: { ...(await contentOf(files)), password: password === '' ? null : password },
      }),
    onDone,
  )
  const isTooLarge = files.some(({ size }) => size > mostBytes)
  return (
    <RequestForm
      submit={t.network.upload}
      canSubmit={files.length > 0 && !isTooLarge}
      request={upload}
      onSubmit={() => upload.mutate(undefined)}
      onCancel={onDone}
    >
      <Text c="dimmed">{t.network.uploadHint}</Text>
      <div>
        <FileButton multiple accept=".pem,.crt,.cer,.key,.pfx,.p12" onChange={setFiles}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFile size={16} />} data-autofocus>
              {t.network.chooseFiles}
            </Button>
          )}
        </FileButton>
        <Text size="sm" mt={4} c="dimmed">
          {files.length === 0 ? t.network.certificateFileHint : files.map(({ name }) => name).join(', ')}
        </Text>
        {isTooLarge && (
          <Text size="sm" c="var(--danger)" role="alert">
            {t.network.tooLarge}
          </Text>
        )}
      </div>
      <PasswordField
        label={t.network.password}
        description={t.network.passwordHint}
        autoComplete="off"
        {...textProps(password, setPassword)}
      />
    </RequestForm>
  )
}

/** Current certificate, and the upload of a custom one. */
export function CertificateSection({ network }: { network: NetworkDto }) {
  const { certificate, fixed, hasUploaded } = network
  const remove = useNetworkChange(() => api.network.removeCertificate({}))
  const fixedBy = fixed.find(({ what }) => what === 'certificate')
  const until = Date.parse(certificate.notAfter)
  return (
    <section className={classes.section} aria-label={t.network.certificate}>
      <h2>{t.network.certificate}</h2>
      <p className="muted">{certificate.source === 'own' ? t.network.byOthers : t.network.byAuthority}</p>
      {certificate.problem !== null && (
        <Alert mb="sm" color="warning" icon={<IconCertificateOff size={18} />} title={t.network.ownProblem}>
          {certificate.problem}
        </Alert>
      )}
      <dl className={classes.facts}>
        <dt>{t.network.covers}</dt>
        <dd>{certificate.names.join(', ')}</dd>
        <dt>{t.network.validUntil}</dt>
        <dd title={exactTime(until)}>{calendarDay(until)}</dd>
      </dl>
      {fixedBy ? (
        <p className="small muted">{t.network.fixedBy(fixedBy.setting, t.network.sources[fixedBy.source])}</p>
      ) : (
        <Group gap={8} mt={12}>
          <FormButton label={hasUploaded ? t.network.replace : t.network.use} title={t.network.use}>
            {(close) => <UploadForm onDone={close} />}
          </FormButton>
          {hasUploaded && (
            <AskButton
              label={t.network.remove}
              title={t.network.removeTitle}
              onConfirm={() => remove.mutateAsync(undefined)}
            >
              {t.network.removeHint}
            </AskButton>
          )}
        </Group>
      )}
    </section>
  )
}
