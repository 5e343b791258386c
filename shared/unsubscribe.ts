/** Address of links in mails that turn off the mail of their receiver. */
export const unsubscribePath = '/unsubscribe'
