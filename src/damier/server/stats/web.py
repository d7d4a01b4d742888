ROUTES = ()
