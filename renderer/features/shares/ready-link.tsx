import { Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { networkQueries } from '../../api/network-queries.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { ReachNote } from '../../components/reach-note.tsx'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'

/** Warns, as Deploy does, of an address that the guest may not reach or whose certificate the guest's browser does not know. */
function AddressNotes({ url }: { url: string }) {
  const { origin, hostname } = new URL(url)
  const { data: trust } = useQuery(networkQueries.trust)
  return (
    <>
      <ReachNote
        url={url}
        isReachableFromNetwork={!/^(localhost|127\..*|\[::1\])$/.test(hostname)}
        texts={t.rights.linkReach}
      />
      {trust?.source === 'authority' && trust.addresses.includes(origin) && (
        <Text size="xs" c="dimmed">
          {t.rights.linkCertificate} <Anchor href={`${origin}/trust`}>{`${origin}/trust`}</Anchor>
        </Text>
      )}
    </>
  )
}

interface ReadyLinkProps {
  intro: string
  url: string
  expiresAt: string
  onClose: () => void
}

/** A link that was just made; it is shown once. */
export const ReadyLink = ({ intro, url, expiresAt, onClose }: ReadyLinkProps) => (
  <Stack>
    <Text>{intro}</Text>
    <Textarea
      label={t.rights.link}
      value={url}
      readOnly
      autosize
      classNames={{ input: 'mono' }}
      data-autofocus
      // In a dialog that is open already, the field takes the place of the pressed button.
      autoFocus
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <Group align="flex-start">
      <CopyButton text={url} label={t.common.copy} />
      <QrCode text={url} label={t.rights.qr} width={180} />
    </Group>
    <AddressNotes url={url} />
    <Text c="dimmed">{t.rights.endsAt(moment(Date.parse(expiresAt)))}</Text>
    <Group justify="flex-end">
      <Button onClick={onClose}>{t.common.done}</Button>
    </Group>
  </Stack>
)
