/** The texts of the log-in. */
export const words = {
  title: 'Log in',
  intro: 'With a personal or owner API key, or an operator’s key. The browser does not keep the key.',
  key: 'API key',
  hint: 'The first start writes one to DATA_DIR/demo.key. Others: npx botledger key issue --kind personal',
  submit: 'Log in',
  ended: 'Your session is over: after 12 hours, after 2 hours without use, with its key, or by a log-out elsewhere.',
  linkUsed: 'This link was used before, or is older than ten minutes. Log in with a key.',
  notSecure:
    'A browser keeps the session only over TLS, or on this machine. Open the console at https://…, or through a tunnel: ssh -L 3000:127.0.0.1:3000 HOST',
} as const;
