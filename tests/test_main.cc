#define BOOST_TEST_MODULE dragoman
#include <boost/test/unit_test.hpp>
