import { Button, Modal, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { TerminalShareDto } from '../../../shared/api/appliance-terminal-shares.ts'
import { api } from '../../api/http.ts'
import { textProps } from '../../components/field-props.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { ReadyLink } from '../shares/ready-link.tsx'
import { orToast } from './guests-line.tsx'
import classes from './terminal.module.css'
import type { TerminalSharing } from './use-terminal-shares.ts'

const texts = t.terminal.sharing

interface ShareTerminalProps {
  deviceId: string
  terminalId: string
  sharing: TerminalSharing
}

const stateOf = ({ isHere, openedAt }: TerminalShareDto) =>
  isHere ? texts.here : openedAt === null ? texts.notOpened : texts.away

const Guests = ({ sharing }: Pick<ShareTerminalProps, 'sharing'>) => (
  <section aria-label={texts.guests}>
    {sharing.shares.map((share) => {
      const name = visibleName(share.forName)
      return (
        <div key={share.id} className={classes.share}>
          <Stack gap={0} component="span" flex={1} miw={0}>
            <bdi className="truncate">{name}</bdi>
            <span className="small muted">{stateOf(share)}</span>
          </Stack>
          <Switch
            label={texts.mayType}
            aria-label={texts.mayTypeOf(name)}
            checked={share.canType}
            onChange={({ currentTarget }) => orToast(sharing.letType(share, currentTarget.checked))}
          />
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.endOf(name)}
            onClick={() => orToast(sharing.end(share))}
          >
            {texts.end}
          </Button>
        </div>
      )
    })}
  </section>
)

interface Link {
  url: string
  expiresAt: string
}

function NewLink({ deviceId, terminalId, sharing, onMade, onClose }: NewLinkProps) {
  const [guest, setGuest] = useState('')
  const [may, setMay] = useState('watch')
  const [minutes, setMinutes] = useState('60')
  return (
    <DialogForm
      submit={texts.make}
      canSubmit={guest.trim() !== ''}
      save={() =>
        api.terminalShares.create({
          params: { deviceId, terminalId },
          body: { guestName: guest.trim(), canType: may === 'type', expirationMinutes: Number(minutes) },
        })
      }
      onSaved={({ url, share: { expiresAt } }) => {
        void sharing.reload()
        onMade({ url, expiresAt })
      }}
      onCancel={onClose}
    >
      <Text c="dimmed">{texts.intro}</Text>
      <TextInput
        label={texts.guest}
        description={texts.guestHint}
        maxLength={50}
        {...textProps(guest, setGuest)}
        data-autofocus
      />
      <SegmentedControl
        aria-label={texts.may}
        data={[
          { value: 'watch', label: texts.watch },
          { value: 'type', label: texts.type },
        ]}
        value={may}
        onChange={setMay}
      />
      <Select
        label={texts.howLong}
        data={Object.entries(t.rights.minutes).map(([value, label]) => ({ value, label }))}
        value={minutes}
        allowDeselect={false}
        onChange={(chosen) => chosen && setMinutes(chosen)}
      />
    </DialogForm>
  )
}

interface NewLinkProps extends ShareTerminalProps {
  onMade: (link: Link) => void
  onClose: () => void
}

function Content(props: ShareTerminalProps & { onClose: () => void }) {
  const [link, setLink] = useState<Link>()
  return (
    <Stack>
      {props.sharing.shares.length > 0 && !link && <Guests sharing={props.sharing} />}
      {link ? (
        <ReadyLink intro={texts.ready} url={link.url} expiresAt={link.expiresAt} onClose={props.onClose} />
      ) : (
        <NewLink {...props} onMade={setLink} />
      )}
    </Stack>
  )
}

/** Dialog that makes links to one terminal, and ends them. */
export const ShareTerminal = ({
  isOpen,
  onClose,
  ...props
}: ShareTerminalProps & { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title={texts.title}>
    <Content {...props} onClose={onClose} />
  </Modal>
)
