import { Menu, Modal, Textarea, UnstyledButton } from '@mantine/core'
import { IconDeviceDesktop, IconMessage, IconPointerShare } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Fragment, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { maxSessionMessage } from '../../shared/api/appliance-remote-sessions.ts'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { api } from '../api/http.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import { beginOf, deviceAddress, deviceTabs } from './device-tabs.ts'
import { textProps } from './field-props.ts'
import { useHandOver } from './held-control.ts'
import { RequestForm } from './request-form.tsx'
import classes from './session-owner-menu.module.css'

function MessageForm({ session, onClose }: { session: RemoteSessionDto; onClose: () => void }) {
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: () => api.sessions.message({ params: { sessionId: session.id }, body: { text: text.trim() } }),
    onSuccess: onClose,
  })
  return (
    <RequestForm
      submit={t.sessions.sendMessage}
      canSubmit={text.trim() !== ''}
      request={send}
      onSubmit={() => send.mutate()}
      onCancel={onClose}
    >
      <Textarea
        label={t.sessions.message}
        description={t.sessions.messageHint}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={maxSessionMessage}
        data-autofocus
        {...textProps(text, setText)}
      />
    </RequestForm>
  )
}

interface SessionOwnerMenuProps {
  /** Sessions of other people. */
  sessions: readonly RemoteSessionDto[]
  label: string
  className?: string | undefined
  /** The list has its own keys; its rows hold no tab stops. */
  isInRow?: boolean
  /** Content of the button. */
  children: ReactNode
}

/** Button that offers to join the sessions of other people, to hand control to them, and to write to them. */
export function SessionOwnerMenu({ sessions, label, className, isInRow = false, children }: SessionOwnerMenuProps) {
  const { can } = useSession()
  const handOver = useHandOver()
  const [addressee, setAddressee] = useState<RemoteSessionDto>()
  const close = () => setAddressee(undefined)
  return (
    // Clicks in the menu and the dialog are none on the row.
    <span
      className={classes.owner}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Menu position="bottom-start" returnFocus width="max-content">
        <Menu.Target>
          <UnstyledButton className={className} aria-label={label} tabIndex={isInRow ? -1 : 0}>
            {children}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown aria-label={label} maw="min(400px, 90vw)">
          {sessions.map((session) => {
            const give = handOver(session.deviceId, session.principalName)
            return (
              <Fragment key={session.id}>
                <Menu.Label className="truncate">
                  <bdi>{visibleName(session.principalName)}</bdi> · {t.sessions.kinds[session.kind]}
                </Menu.Label>
                {session.kind === 'remote-control' && can(deviceTabs.control.permission) && (
                  <Menu.Item
                    leftSection={<IconDeviceDesktop size={16} stroke={1.6} />}
                    component={Link}
                    to={deviceAddress(session.deviceId, 'control')}
                    state={beginOf('control')}
                  >
                    {t.sessions.join}
                  </Menu.Item>
                )}
                {session.kind === 'remote-control' && give && (
                  <Menu.Item leftSection={<IconPointerShare size={16} stroke={1.6} />} onClick={give}>
                    {t.sessions.handOver}
                  </Menu.Item>
                )}
                <Menu.Item leftSection={<IconMessage size={16} stroke={1.6} />} onClick={() => setAddressee(session)}>
                  {t.sessions.writeMessage}
                </Menu.Item>
              </Fragment>
            )
          })}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={addressee !== undefined}
        onClose={close}
        title={addressee && t.sessions.messageTo(visibleName(addressee.principalName))}
      >
        {addressee && <MessageForm session={addressee} onClose={close} />}
      </Modal>
    </span>
  )
}
