import { Modal, Radio, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { DevicePermission } from '../../../shared/access.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import type { LogonTokenResponseDto } from '../../../shared/dtos/logon-token.ts'
import { deviceRoles, type DeviceRoleName } from '../../../shared/roles.ts'
import { api } from '../../api/http.ts'
import { newId } from '../../api/new-id.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { roleSentence } from '../../components/rights-texts.ts'
import { SearchSelect, type Choice } from '../../components/search-select.tsx'
import { useDeviceAccess } from '../../hooks/use-device.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import { ReadyLink } from './ready-link.tsx'

/** Roles that a link may carry. */
const shareable: readonly DeviceRoleName[] = ['Reader', 'Helper', 'Technician']

interface Draft {
  isGuest: boolean
  guest: string
  person: Choice[]
  minutes: string
  role: DeviceRoleName
  desktop: string
}

const first: Draft = { isGuest: true, guest: '', person: [], minutes: '60', role: 'Helper', desktop: '' }

interface PartProps {
  device: DeviceResponseDto
}

function DesktopField({ device, value, onChange }: PartProps & { value: string; onChange: (value: string) => void }) {
  const { data = [], error } = useQuery({ ...deviceQueries.desktopSessions(device.id), enabled: device.isOnline })
  return (
    <Select
      label={t.rights.desktop}
      {...(error && { description: t.rights.desktopFailed })}
      data={[
        { value: '', label: t.rights.everyDesktop },
        ...data.map(({ systemSessionId, name, username }) => ({
          value: String(systemSessionId),
          label: visibleName([name, username].filter((text) => text !== '').join(' · ')),
        })),
      ]}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  )
}

function Form({
  device,
  onMade,
  onClose,
}: PartProps & { onMade: (link: LogonTokenResponseDto) => void; onClose: () => void }) {
  const session = useSession()
  const { user } = session
  const can = useDeviceAccess(device.id)
  const [draft, setDraft] = useState(first)
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const save = () => {
    const body = {
      tenantId: user.tenantId,
      deviceId: device.id,
      expirationMinutes: Number(draft.minutes),
      // A link gives what its maker holds.
      permissions: (deviceRoles[draft.role].permissions as readonly DevicePermission[]).filter(can),
      ...(draft.desktop !== '' && { allowedDesktopSessionIds: [Number(draft.desktop)] }),
    }
    return draft.isGuest
      ? api.logonTokens.createForExternalUser({
          body: { ...body, userCorrelationId: `share-${newId()}`, userDisplayName: draft.guest.trim() },
        })
      : api.logonTokens.createForUser({ body: { ...body, userId: draft.person[0]!.id } })
  }
  const place = { kind: 'Device', id: device.id, name: nameOfDevice(device) }
  const who = draft.isGuest ? draft.guest.trim() : (draft.person[0]?.name ?? '')
  return (
    <DialogForm
      submit={t.rights.makeLink}
      canSubmit={who !== ''}
      save={save}
      onSaved={(link) => {
        void invalidate(['shares'])
        onMade(link)
      }}
      onCancel={onClose}
    >
      {session.can('tenant.permissions.read') && (
        <SegmentedControl
          aria-label={t.rights.forWhom}
          data={[
            { value: 'guest', label: t.rights.guest },
            { value: 'colleague', label: t.rights.colleague },
          ]}
          value={draft.isGuest ? 'guest' : 'colleague'}
          onChange={(value) => change({ isGuest: value === 'guest' })}
        />
      )}
      {draft.isGuest ? (
        <TextInput
          label={t.rights.forGuest}
          description={t.rights.forGuestHint}
          maxLength={50}
          {...textProps(draft.guest, (guest) => change({ guest }))}
          data-autofocus
        />
      ) : (
        <SearchSelect
          label={t.rights.forWhom}
          kind="Principal"
          max={1}
          value={draft.person}
          onChange={(person) => change({ person: person.filter(({ kind }) => kind === 'User') })}
        />
      )}
      <Select
        label={t.rights.howLong}
        data={Object.entries(t.rights.minutes).map(([value, label]) => ({ value, label }))}
        value={draft.minutes}
        allowDeselect={false}
        onChange={(minutes) => minutes && change({ minutes })}
      />
      <Radio.Group
        label={t.rights.rightsOfShare}
        value={draft.role}
        onChange={(role) => change({ role: role as DeviceRoleName })}
      >
        <Stack gap={6} mt={4}>
          {shareable.map((role) => (
            <Radio
              key={role}
              value={role}
              label={deviceRoles[role].title}
              description={roleSentence(visibleName(who), role, place, false).trim()}
            />
          ))}
        </Stack>
      </Radio.Group>
      <DesktopField device={device} value={draft.desktop} onChange={(desktop) => change({ desktop })} />
    </DialogForm>
  )
}

function Content({ device, onClose }: PartProps & { onClose: () => void }) {
  const [link, setLink] = useState<LogonTokenResponseDto>()
  return link ? (
    <ReadyLink intro={t.rights.linkReady} url={link.deviceAccessUrl} expiresAt={link.expiresAt} onClose={onClose} />
  ) : (
    <Form device={device} onMade={setLink} onClose={onClose} />
  )
}

interface ShareDialogProps {
  device: DeviceResponseDto | undefined
  onClose: () => void
}

/** Dialog that makes a link to one device, and shows it once. */
export const ShareDialog = ({ device, onClose }: ShareDialogProps) => (
  <Modal opened={device !== undefined} onClose={onClose} title={device && t.rights.shareTitle(nameOfDevice(device))}>
    {device && <Content device={device} onClose={onClose} />}
  </Modal>
)
