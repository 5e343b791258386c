import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { Link, type LinkProps } from 'react-router'

/** Link to another page. */
export const TextLink = (props: AnchorProps & Omit<LinkProps, keyof AnchorProps>) => (
  <Anchor component={Link} {...props} />
)

/** Link to another page that looks like a button. */
export const ButtonLink = (props: ButtonProps & Omit<LinkProps, keyof ButtonProps>) => (
  <Button component={Link} {...props} />
)
